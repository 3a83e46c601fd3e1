#!/usr/bin/env node
// Starts the program of this platform, with the same arguments, and ends as it does.
"use strict";
const { spawn } = require("node:child_process");

const programs = /* PROGRAMS */ {};
const platform = `${process.platform}-${process.arch}`;
const program = programs[platform];
let file;
try {
  if (!program) throw new Error();
  file = require.resolve(program);
} catch {
  const reason = program
    ? `the package ${program.split("/bin/")[0]} is not installed: npm leaves it out with --omit=optional, and on Linux without glibc`
    : `there is no program for ${platform}; build it with cargo`;
  console.error(`retake: ${reason}`);
  process.exit(2);
}
const child = spawn(file, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`retake: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
