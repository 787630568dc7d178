/**
 * A test of a connection is asked for by the first press: its link is sent as a form. Without this
 * script the link leads to a page with the button. What is being sent shows that it works.
 */

(() => {
  const ASKS = 'a[href*="/agents/modelprofile/"][href$="/check/"]';

  function send(link) {
    const token = document.querySelector("input[name=csrfmiddlewaretoken]");
    if (!token) return false;
    const form = document.createElement("form");
    form.method = "post";
    form.action = link.href;
    form.hidden = true;
    form.append(token.cloneNode());
    document.body.append(form);
    form.submit();
    return true;
  }

  addEventListener("click", (event) => {
    const link = event.target.closest?.(ASKS);
    if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (link.ariaBusy !== "true" && !send(link)) return;
    event.preventDefault();
    link.ariaBusy = "true";
  });

  addEventListener("submit", (event) => {
    if (event.target.matches(".gh-columns") && event.submitter) event.submitter.ariaBusy = "true";
  });

  addEventListener("pageshow", () => {
    for (const busy of document.querySelectorAll("[aria-busy=true]")) busy.ariaBusy = null;
  });
})();
