"""Measuring contrast in a browser."""

# The lowest contrast of any text with what lies behind it (WCAG 2.2, 1.4.3), with the text it belongs to.
LOWEST_CONTRAST = """() => {
  const channels = (css) => (css.match(/[\\d.]+/g) || []).map(Number);
  const light = (css) => channels(css).slice(0, 3).map((c) => c / 255)
    .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  let lowest = [99, ""];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const owner = texts.currentNode.parentElement, style = getComputedStyle(owner);
    if (!texts.currentNode.data.trim() || ["title", "style"].includes(owner.localName)) continue;
    let behind = owner;
    while (behind.parentElement && channels(getComputedStyle(behind).backgroundColor)[3] === 0)
      behind = behind.parentElement;
    const [a, b] = [light(owner.closest("svg") ? style.fill : style.color),
      light(getComputedStyle(behind).backgroundColor)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < lowest[0]) lowest = [ratio, texts.currentNode.data.trim().slice(0, 60)];
  }
  return lowest;
}"""
