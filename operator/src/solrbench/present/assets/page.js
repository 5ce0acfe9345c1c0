// Adds to a page that is complete without it: figures that answer to mouse and keyboard.
"use strict";

(() => {
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const colors = (text) => text.replace(/var\((--[a-z0-9-]+)\)/g, (_, name) => color(name));

  function optionOf(figure) {
    const text = figure.querySelector("script[type='application/json']").textContent;
    const option = withFunctions(JSON.parse(colors(text)));
    option.tooltip = {
      ...option.tooltip,
      confine: true,
      backgroundColor: color("--raised"),
      borderColor: color("--axis"),
      textStyle: { color: color("--ink"), fontSize: 13 },
      axisPointer: { type: "line", lineStyle: { color: color("--muted") } },
    };
    for (const axis of [option.xAxis].flat()) {
      const name = axis.name ? axis.name + ": " : "";
      const text = axis.axisLabel.formatter || String;
      const formatter = ({ value }) => name + text(value);
      axis.axisPointer = { ...axis.axisPointer, label: { formatter } };
    }
    return option;
  }

  function replaceDrawing(figure) {
    const place = figure.querySelector(".live");
    const chart = echarts.init(place, null, { renderer: "svg" });
    let option = optionOf(figure);
    chart.setOption(option);
    figure.classList.add("is-live");
    chart.resize();
    addKeys(figure, place, chart, () => option);
    addLegend(figure, chart, () => option);
    return {
      resize: () => chart.resize(),
      recolor: () => chart.setOption((option = optionOf(figure)), { notMerge: true }),
    };
  }

  const READABLE = new Set(["line", "scatter", "heatmap"]);

  // Lines have plain numbers; dots and cells are called by their own names.
  function spoken(option, series, item) {
    const isOfLine = Array.isArray(item);
    const isCell = series.type === "heatmap";
    const axis = isOfLine
      ? [option.yAxis].flat()[series.yAxisIndex || 0]
      : [option.xAxis].flat()[series.xAxisIndex || 0];
    const format = (!isCell && axis.axisLabel?.formatter) || option.tooltip.valueFormatter || digits;
    const value = isOfLine ? item[1] : item.value[isCell ? 2 : 0];
    const name = isOfLine ? series.name : `${item.name}, ${series.name}`;
    return `${name}: ${format(Number(value))}`;
  }

  // Where on the horizontal axis a point of a line is.
  function position(option, series, item) {
    if (!Array.isArray(item)) return [];
    const axis = [option.xAxis].flat()[series.xAxisIndex || 0];
    const value = axis.type === "category" ? axis.data[item[0]] : item[0];
    return [axis.axisPointer.label.formatter({ value })];
  }

  // Of a line, its point at that place; none where it has none within half a step.
  function itemAt(series, reference, index) {
    const points = reference.data;
    if (!Array.isArray(points[index])) return series.data[index];
    const step = (points[points.length - 1][0] - points[0][0]) / points.length;
    const distance = (each) => Math.abs(each[0] - points[index][0]);
    return series.data
      .filter((each) => distance(each) <= step / 2)
      .sort((one, other) => distance(one) - distance(other))[0];
  }

  // Arrow keys go along the longest line; the values are read out by the live region.
  function addKeys(figure, place, chart, option) {
    const status = figure.querySelector("[role=status]");
    let index = -1;
    place.tabIndex = 0;
    place.addEventListener("keydown", (event) => {
      const lines = option().series.filter((each) => READABLE.has(each.type));
      const last = Math.max(...lines.map((each) => each.data.length)) - 1;
      const moves = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: last };
      if (!(event.key in moves)) return;
      event.preventDefault();
      index = Math.min(Math.max(moves[event.key], 0), last);
      const longest = lines.find((each) => each.data.length === last + 1);
      const seriesIndex = option().series.indexOf(longest);
      chart.dispatchAction({ type: "showTip", seriesIndex, dataIndex: index });
      const values = lines
        .map((each) => [each, itemAt(each, longest, index)])
        .filter(([, item]) => item)
        .map(([each, item]) => spoken(option(), each, item));
      const where = position(option(), longest, longest.data[index]);
      status.textContent = [...where, ...values].join("; ");
    });
    place.addEventListener("blur", () => chart.dispatchAction({ type: "hideTip" }));
  }

  // A click on a name of the legend hides its line and brings it back.
  function addLegend(figure, chart, option) {
    for (const entry of figure.querySelectorAll(".legend li")) {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      button.append(...entry.childNodes);
      entry.append(button);
      const name = button.textContent.trim();
      button.addEventListener("click", () => {
        const shown = button.getAttribute("aria-pressed") === "true";
        button.setAttribute("aria-pressed", String(!shown));
        const hidden = new Set(
          [...figure.querySelectorAll(".legend button[aria-pressed=false]")].map((each) =>
            each.textContent.trim(),
          ),
        );
        const kept = option().series.filter((each) => !hidden.has(each.name));
        chart.setOption({ ...option(), series: kept }, { notMerge: true });
      });
    }
  }

  async function loadLibrary() {
    const packed = atob(document.getElementById("library").textContent.trim());
    const bytes = Uint8Array.from(packed, (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
  }

  function start() {
    if (!("DecompressionStream" in window) || !document.querySelector("figure.plot")) return;
    const charts = [];
    let library;
    const seen = new IntersectionObserver(
      async (entries) => {
        for (const entry of entries.filter((each) => each.isIntersecting)) {
          seen.unobserve(entry.target);
          // Most pages are opened for their conclusions: it is read once a figure comes near.
          await (library ??= loadLibrary());
          charts.push(replaceDrawing(entry.target));
        }
      },
      { rootMargin: "300px" },
    );
    for (const figure of document.querySelectorAll("figure.plot")) seen.observe(figure);
    addEventListener("resize", () => charts.forEach((each) => each.resize()));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
      charts.forEach((each) => each.recolor()),
    );
  }

  start();
})();
