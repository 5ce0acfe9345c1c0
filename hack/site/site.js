// What the theme's scripts add, for readers with a keyboard or a screen reader: wide tables can be reached and scrolled,
// and the buttons of code blocks have names that differ.
function mend() {
  for (const table of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])")) table.tabIndex = 0;
  document.querySelectorAll(".md-code__nav").forEach((nav, place) => {
    const name = `Code block ${place + 1}`;
    if (nav.getAttribute("aria-label") !== name) nav.setAttribute("aria-label", name);
  });
}
addEventListener("load", () => {
  mend();
  new MutationObserver(mend).observe(document.body, {childList: true, subtree: true});
});
