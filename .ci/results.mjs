// Reads vitest's JSON reports for .ci/run. Plain JavaScript, so that any version of Node can run it.
//   node .ci/results.mjs failed-files REPORT   lists the files with a failed test, one per line
//   node .ci/results.mjs summary FOLDER        lists failed tests and counts, from NAME.json and NAME.again.json
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The tests of each file. A file that could not be loaded counts as one failed test. */
function readReport(report) {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  return new Map(
    testResults.map(({ name, status, message, assertionResults }) => {
      const tests = assertionResults.map((test) => ({
        title: test.fullName,
        status: test.status,
        messages: test.failureMessages,
      }));
      const unexplained = status === 'failed' && !tests.some((test) => test.status === 'failed');
      if (unexplained) tests.push({ title: 'the file as a whole', status: 'failed', messages: [message] });
      return [path.relative('.', name), tests];
    }),
  );
}

const withoutLibraryFrames = (message) =>
  message
    .split('\n')
    .filter((line) => !/^ +at .*(node_modules|<anonymous>)/.test(line))
    .join('\n');

const count = (tests, status) => tests.filter((test) => test.status === status).length;

function printFailed(heading, results) {
  for (const [file, tests] of results) {
    for (const { title, status, messages } of tests) {
      if (status === 'failed')
        console.log(`${heading}: ${file}: ${title}\n  ${messages.map(withoutLibraryFrames).join('\n  ')}\n`);
    }
  }
}

function printFailedFiles(report) {
  for (const [file, tests] of readReport(report)) if (count(tests, 'failed') > 0) console.log(file);
}

function printSummary(folder) {
  let passed = 0;
  let failed = 0;
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.json') && !file.endsWith('.again.json'))) {
    const results = readReport(path.join(folder, name));
    const again = path.join(folder, name.replace('.json', '.again.json'));
    if (existsSync(again)) {
      printFailed('failed at first', results);
      // The second run of a file replaces the first.
      for (const [file, tests] of readReport(again)) results.set(file, tests);
    }
    printFailed('failed', results);
    for (const tests of results.values()) {
      passed += count(tests, 'passed');
      failed += count(tests, 'failed');
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
}

const [command, target] = process.argv.slice(2);
if (command === 'failed-files') printFailedFiles(target);
else printSummary(target);
