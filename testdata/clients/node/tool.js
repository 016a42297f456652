// What the programs of mappers share: each has steps of its own, gets host, port and
// schema as arguments and prints a line of JSON for its version and one for each step,
// with the error if it failed.
'use strict';
const [host, port, schema] = process.argv.slice(2);

exports.settings = { host, port: Number(port), user: 'trireme', database: 'trireme' };
exports.schema = schema;

exports.run = async (version, steps, end) => {
  console.log(JSON.stringify({ Version: version }));
  for (const [name, step] of Object.entries(steps)) {
    let failure = '';
    try {
      await step();
    } catch (error) {
      failure = String(error.stack || error);
    }
    console.log(JSON.stringify({ Step: name, Error: failure }));
  }
  await end();
};
