"use strict";

function made(tag, text, ...children) {
  const node = document.createElement(tag);
  if (text) node.textContent = text;
  node.append(...children);
  return node;
}

/** The schema with its references followed, a few steps deep. */
function followed(schema, all, depth = 0) {
  if (!schema || typeof schema !== "object") return schema;
  if (Array.isArray(schema)) return schema.map((each) => followed(each, all, depth));
  if (schema.$ref) {
    const name = schema.$ref.split("/").pop();
    return depth > 3 ? name : followed(all[name], all, depth + 1);
  }
  const hidden = ["title", "examples"];
  return Object.fromEntries(
    Object.entries(schema).filter(([key]) => !hidden.includes(key)).map(([key, each]) => [key, followed(each, all, depth)]));
}

/** What the shapes of a body give as examples; where there are several shapes, one of each. */
function examples(schema, all) {
  const named = schema?.$ref ? all[schema.$ref.split("/").pop()] : schema;
  const several = named?.oneOf || named?.anyOf;
  return several ? several.flatMap((each) => examples(each, all)) : (named?.examples || []).slice(0, 1);
}

function json(value) {
  return made("pre", JSON.stringify(value, null, 2));
}

function body(content, all) {
  const parts = [];
  for (const [type, each] of Object.entries(content || {})) {
    parts.push(made("p", type));
    const shown = each.example !== undefined ? [each.example] : examples(each.schema, all);
    for (const one of shown) parts.push(json(one));
    if (each.schema && Object.keys(each.schema).length) parts.push(json(followed(each.schema, all)));
  }
  return parts;
}

function parameters(list) {
  const table = made("table");
  for (const each of list) {
    const type = each.schema?.type || (each.schema?.anyOf || []).map((one) => one.type).join(" or ");
    table.append(made("tr", "", made("td", "", made("code", each.name)), made("td", `${each.in}, ${type || "any"}${each.required ? ", needed" : ""}`),
      made("td", each.description || "")));
  }
  return table;
}

function operation(method, path, told, all) {
  const inside = made("div");
  if (told.description) inside.append(made("p", told.description));
  if (told.parameters?.length) inside.append(parameters(told.parameters));
  if (told.requestBody) inside.append(made("h3", "Body"), ...body(told.requestBody.content, all));
  for (const [status, answer] of Object.entries(told.responses || {})) {
    if (status === "default" || status >= "400") continue;
    inside.append(made("h3", `${status} ${answer.description || ""}`), ...body(answer.content, all));
  }
  const drawn = made("details", "", made("summary", "", made("b", method.toUpperCase()), ` ${path} `, made("i", told.summary)), inside);
  drawn.dataset.words = `${method} ${path} ${told.summary || ""} ${told.description || ""}`.toLowerCase();
  return drawn;
}

async function draw() {
  const told = await (await fetch("openapi.json")).json();
  const all = told.components?.schemas || {};
  const groups = new Map();
  const about = Object.fromEntries((told.tags || []).map((each) => [each.name, each.description]));
  for (const [path, methods] of Object.entries(told.paths)) {
    for (const [method, each] of Object.entries(methods)) {
      const group = each.tags?.[0] || "other";
      if (!groups.has(group)) groups.set(group, made("section", "", made("h2", group), made("p", about[group])));
      groups.get(group).append(operation(method, path, each, all));
    }
  }
  document.getElementById("operations").replaceChildren(...groups.values());
}

document.getElementById("find").addEventListener("input", (event) => {
  const words = event.target.value.toLowerCase().split(/\s+/);
  for (const each of document.querySelectorAll("details")) {
    each.hidden = !words.every((word) => each.dataset.words.includes(word));
  }
});

draw();
