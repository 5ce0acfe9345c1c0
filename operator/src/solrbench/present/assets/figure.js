// Functions of figures, by the names that stand for them in the data: JSON holds none.
// Used alike where figures are drawn as the report is written, and in the browser.
"use strict";

function digits(value) {
  if (value === 0) return "0";
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  const text = value.toFixed(Math.min(decimals, 10));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

// One element for all bars of an interval: a page has hundreds.
function bars(api, ...lines) {
  const pathData = lines.map(([x1, y1, x2, y2]) => `M${x1} ${y1}L${x2} ${y2}`).join("");
  const style = { stroke: api.visual("color"), lineWidth: 1.5, fill: "none" };
  return { type: "path", shape: { pathData }, style };
}

const FUNCTIONS = {
  "@number": (value) => (value == null ? "" : digits(Number(value))),
  "@milliseconds": (value) =>
    value == null ? "" : value >= 1000 ? digits(value / 1000) + " s" : digits(value) + " ms",
  "@percent": (value) => (value == null ? "" : digits(Number(value)) + " %"),
  "@seconds": (value) => digits(value) + " s",
  "@nines": (value) => {
    const percent = 100 * (1 - Math.pow(10, -value));
    return percent.toFixed(Math.max(0, Math.round(value) - 2)) + " %";
  },
  "@interval": (parameters, api) => {
    const [x, low, high] = [api.value(0), api.value(1), api.value(2)];
    const [left, bottom] = api.coord([x, low]);
    const top = api.coord([x, high])[1];
    return bars(
      api,
      [left, bottom, left, top],
      [left - 4, bottom, left + 4, bottom],
      [left - 4, top, left + 4, top],
    );
  },
  "@span": (parameters, api) => {
    const [row, low, high] = [api.value(0), api.value(1), api.value(2)];
    const [left, middle] = api.coord([low, row]);
    const right = api.coord([high, row])[0];
    return bars(
      api,
      [left, middle, right, middle],
      [left, middle - 4, left, middle + 4],
      [right, middle - 4, right, middle + 4],
    );
  },
};

const FUNCTION_KEYS = new Set(["formatter", "valueFormatter", "renderItem"]);

function withFunctions(value, key) {
  if (Array.isArray(value)) return value.map((each) => withFunctions(each));
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value).map(([name, each]) => [name, withFunctions(each, name)]);
    return Object.fromEntries(entries);
  }
  return FUNCTION_KEYS.has(key) && value in FUNCTIONS ? FUNCTIONS[value] : value;
}
