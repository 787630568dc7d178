/** One document: each heading gets a link to itself, and the outline shows where the reader is. */

const prose = document.querySelector("[data-anchors]");
const headings = [...(prose?.querySelectorAll(":is(h1, h2, h3, h4, h5, h6)[id]") ?? [])];
const outline = document.querySelector("[data-outline]");

function addAnchor(heading) {
  const link = document.createElement("a");
  link.className = "heading-anchor";
  link.href = `#${heading.id}`;
  link.textContent = "#";
  link.setAttribute("aria-label", `${prose.dataset.textAnchor}: ${heading.textContent}`);
  heading.append(link);
}

/** The last heading that has passed the top; the first one before any has. */
function current() {
  const top = 96;
  return headings.findLast((heading) => heading.getBoundingClientRect().top <= top) ?? headings[0];
}

function mark() {
  const id = current().id;
  for (const link of outline.querySelectorAll("a")) {
    if (link.hash === `#${id}` || decodeURIComponent(link.hash) === `#${id}`) link.setAttribute("aria-current", "location");
    else link.removeAttribute("aria-current");
  }
}

/** What scrolls sideways has to be reached by keyboard. */
function makeReachable(element) {
  if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
}

headings.forEach(addAnchor);
prose?.querySelectorAll("pre, table").forEach(makeReachable);
if (outline && headings.length) {
  let waiting = false;
  addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      mark();
    });
  }, { passive: true });
  mark();
}
