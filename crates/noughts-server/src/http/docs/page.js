// Reads the OpenAPI description, and shows a form for each call in it. This script itself knows nothing of the API.

const make = (name, props = {}, ...children) => {
  const element = Object.assign(document.createElement(name), props);
  element.append(...children);
  return element;
};

const description = await (await fetch("/api/openapi.json")).json();
document.getElementById("about").textContent = description.info.description;

const find = (schema) => {
  let found = schema;
  while (found?.$ref) found = found.$ref.split("/").slice(1).reduce((at, key) => at[key], description);
  return found;
};

// An example value of a schema: the first content of the field for the body.
const example = (given, depth = 0) => {
  const schema = find(given) ?? {};
  if (schema.example !== undefined) return schema.example;
  if (schema.examples?.length) return schema.examples[0];
  if (depth > 4) return null;
  const one = (schema.oneOf ?? schema.anyOf ?? schema.allOf)?.find((other) => other.type !== "null");
  if (one) return example(one, depth + 1);
  if (schema.enum) return schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "object") {
    const wanted = Object.entries(schema.properties ?? {}).filter(
      ([name, inner]) => schema.required?.includes(name) || find(inner).example !== undefined,
    );
    return Object.fromEntries(wanted.map(([name, inner]) => [name, example(inner, depth + 1)]));
  }
  return { array: [], integer: 1, number: 1, boolean: true, string: "" }[type] ?? null;
};

// The name of a schema, as a link to its definition.
const named = (schema) => {
  const name = schema.$ref.split("/").at(-1);
  return make("a", { href: `#${name}`, textContent: name });
};

// What a schema allows, in one line. The names of schemas are links.
const shape = (schema) => {
  if (!schema) return ["nothing"];
  if (schema.$ref) return [named(schema)];
  const several = schema.oneOf ?? schema.anyOf;
  if (several) return several.flatMap((one, at) => (at ? [" or ", ...shape(one)] : shape(one)));
  if (schema.allOf) return schema.allOf.flatMap((one, at) => (at ? [" and ", ...shape(one)] : shape(one)));
  if (schema.enum) return [schema.enum.map((value) => JSON.stringify(value)).join(" | ")];
  const types = [schema.type ?? "any"].flat();
  const words = types.flatMap((type, at) => {
    const inner = type === "array" ? ["list of ", ...shape(schema.items)] : [type];
    const text = type === "object" && schema.additionalProperties ? ["map of ", ...shape(schema.additionalProperties)] : inner;
    return at ? [" or ", ...text] : text;
  });
  const { minimum, maximum } = schema;
  if (maximum !== undefined) words.push(` ${minimum ?? 0} to ${maximum}`);
  else if (minimum) words.push(` from ${minimum}`);
  if (schema.default !== undefined) words.push(`, default ${JSON.stringify(schema.default)}`);
  return words;
};

// The fields of an object, one row each.
const fieldsOf = (schema) => {
  const rows = Object.entries(schema.properties ?? {}).map(([name, inner]) =>
    make(
      "tr",
      {},
      make("td", {}, make("code", { textContent: name })),
      make("td", {}, ...shape(inner), schema.required?.includes(name) ? "" : " (optional)"),
      make("td", { textContent: inner.description ?? "" }),
    ),
  );
  return rows.length ? [make("table", {}, ...rows)] : [];
};

const definition = ([name, schema]) =>
  make(
    "details",
    { id: name },
    make("summary", { textContent: name }),
    make("p", { textContent: schema.description ?? "" }),
    ...(schema.type === "object" && schema.properties ? [] : [make("p", {}, ...shape(schema))]),
    ...fieldsOf(schema),
    ...(schema.allOf ?? []).flatMap(fieldsOf),
  );

// All possible answers of a call, with the errors.
const answersOf = (operation) => {
  const rows = Object.entries(operation.responses ?? {}).map(([status, given]) => {
    const response = find(given);
    const media = Object.entries(response.content ?? {});
    const content = media.flatMap(([medium, { schema }], at) => [
      ...(at ? [", "] : []),
      make("code", { textContent: medium }),
      " ",
      ...shape(schema),
    ]);
    return make(
      "tr",
      {},
      make("td", { textContent: status }),
      make("td", {}, ...content),
      make("td", { textContent: response.description ?? "" }),
    );
  });
  return make("details", { className: "answers" }, make("summary", { textContent: "Answers" }), make("table", {}, ...rows));
};

const field = (parameter) => {
  const input = make("input", { spellcheck: false, autocomplete: "off" });
  const needed = parameter.required ? "" : " (not needed)";
  const text = `${parameter.name}${needed}: ${parameter.description ?? ""}`;
  return { parameter, input, row: make("label", {}, text, input) };
};

const call = (path, method, operation) => {
  const fields = (operation.parameters ?? []).map(field);
  const media = operation.requestBody?.content ?? {};
  const medium = Object.keys(media)[0];
  const body = make("textarea", { spellcheck: false });
  if (medium) body.value = JSON.stringify(example(media[medium].schema), null, 2);
  const answer = make("pre", { hidden: true, tabIndex: 0 });
  const button = make("button", { type: "button", textContent: "Try it" });
  button.onclick = async () => {
    button.disabled = true;
    answer.hidden = false;
    answer.textContent = "…";
    try {
      answer.textContent = await send(path, method, fields, medium && [medium, body.value], answer);
    } catch (error) {
      answer.textContent = String(error);
    }
    button.disabled = false;
  };
  const head = make("summary", {}, make("b", { textContent: method.toUpperCase() }), path);
  const text = [operation.summary, operation.description].filter(Boolean).join(" ");
  const about = make("p", { textContent: text });
  const rows = fields.map((one) => one.row);
  if (medium) rows.push(make("label", {}, `The body, ${medium}: `, ...shape(media[medium].schema), body));
  return make("details", {}, head, about, answersOf(operation), ...rows, button, answer);
};

const send = async (path, method, fields, body, answer) => {
  const headers = {};
  const query = new URLSearchParams();
  let address = path;
  for (const { parameter, input } of fields) {
    const value = input.value.trim();
    if (parameter.in === "path") address = address.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else if (value && parameter.in === "query") query.set(parameter.name, value);
    else if (value) headers[parameter.name] = value;
  }
  const token = document.getElementById("token").value.trim();
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body) headers["Content-Type"] = body[0];
  if ([...query].length) address += `?${query}`;
  const response = await fetch(address, { method: method.toUpperCase(), headers, body: body?.[1] });
  const first = `${response.status} ${response.statusText}\n\n`;
  if (response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
    follow(response, first, answer);
    return first;
  }
  const text = await response.text();
  try {
    return first + JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return first + text;
  }
};

// Shows the events of a stream as they arrive, and keeps the latest 20 000 characters.
const follow = async (response, first, answer) => {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text = (text + value).slice(-20_000);
    answer.textContent = first + text;
  }
};

const groups = new Map();
for (const [path, methods] of Object.entries(description.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    const group = operation.tags?.[0] ?? "other";
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push(call(path, method, operation));
  }
}
const calls = document.getElementById("calls");
for (const [group, entries] of groups) {
  calls.append(make("section", {}, make("h2", { textContent: group }), ...entries));
}

const schemas = Object.entries(description.components?.schemas ?? {});
schemas.sort(([a], [b]) => a.localeCompare(b));
calls.append(make("section", {}, make("h2", { textContent: "schemas" }), ...schemas.map(definition)));

// A link to a schema opens its definition.
const openTarget = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (!(target instanceof HTMLDetailsElement)) return;
  target.open = true;
  target.scrollIntoView();
};
addEventListener("hashchange", openTarget);
openTarget();
