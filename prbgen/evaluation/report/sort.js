"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const value = (row, at) => row.cells[at].dataset.value;
  heads.forEach((head, at) => {
    if (head.hasAttribute("data-fixed")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", head.dataset.sorted || "none");
    button.addEventListener("click", () => {
      const rows = [...body.rows];
      const known = rows.filter((row) => value(row, at) !== undefined && value(row, at) !== "");
      const numbers = known.every((row) => !Number.isNaN(Number(value(row, at))));
      const before = head.getAttribute("aria-sort");
      const down = before === "none" ? numbers : before === "ascending";
      const compare = numbers
        ? (a, b) => Number(value(a, at)) - Number(value(b, at))
        : (a, b) => value(a, at).localeCompare(value(b, at), "en");
      known.sort((a, b) => (down ? compare(b, a) : compare(a, b)));
      body.append(...known, ...rows.filter((row) => !known.includes(row)));
      heads.forEach((each) => { if (each.hasAttribute("aria-sort")) each.setAttribute("aria-sort", "none"); });
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
    });
  });
}
