/** Server-sent events read from a fetch() body, because EventSource can neither POST nor send headers. */

/** Cuts complete lines off `buffer`; CR, LF and CRLF all end a line. */
function takeLines(buffer, final) {
  const lines = buffer.split(/\r\n|\n|\r(?!$)/);
  return { lines, rest: final ? "" : lines.pop() };
}

function parseLine(line, event) {
  const colon = line.indexOf(":");
  const name = colon < 0 ? line : line.slice(0, colon);
  const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
  if (name === "data") event.data.push(value);
  else if (name === "event") event.type = value;
  else if (name === "id") event.id = value;
}

/** Yields {type, id, data} with parsed JSON. An event that the end of the stream cut off is dropped. */
export async function* readEvents(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  let event = { data: [] };
  for (;;) {
    const { value, done } = await reader.read();
    const { lines, rest } = takeLines(buffer + (value ?? ""), done);
    buffer = rest;
    for (const line of lines) {
      if (line !== "") parseLine(line, event);
      else {
        if (event.data.length) {
          yield { type: event.type ?? "message", id: event.id, data: JSON.parse(event.data.join("\n")) };
        }
        event = { data: [] };
      }
    }
    if (done) return;
  }
}
