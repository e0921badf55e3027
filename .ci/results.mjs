// Reads vitest's JSON reports for .ci/run. Plain JavaScript, so that any version of Node can run it.
//   node .ci/results.mjs failed-files REPORT   lists the files with a failed test, one per line
//   node .ci/results.mjs summary FOLDER        prints the table, failed and flaky tests, and the counts; exits 1 unless all is well
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The tests of each file. A file that could not be loaded counts as one failed test. */
function readReport(report) {
  if (!existsSync(report)) return new Map();
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  return new Map(
    testResults.map(({ name, status, message, assertionResults }) => {
      const tests = assertionResults.map((test) => ({
        title: test.fullName,
        status: test.status,
        message: test.failureMessages.join('\n'),
      }));
      const unexplained = status === 'failed' && !tests.some((test) => test.status === 'failed');
      if (unexplained) tests.push({ title: 'the file as a whole', status: 'failed', message });
      return [path.relative('.', name), tests];
    }),
  );
}

const failedIn = (files) =>
  [...files].flatMap(([file, tests]) =>
    tests.filter((test) => test.status === 'failed').map((test) => ({ file, ...test })),
  );

const withoutLibraryFrames = (message) =>
  message
    .split('\n')
    .filter((line) => !/^ +at .*(node_modules|<anonymous>)/.test(line))
    .join('\n  ');

/** The second run of a file replaces the first. What failed only in the first is flaky. */
function readSuite(folder, name, status, again) {
  const first = readReport(path.join(folder, `${name}.json`));
  const second = readReport(path.join(folder, `${name}.again.json`));
  const files = new Map([...first, ...second]);
  const tests = [...files.values()].flat();
  const count = (wanted) => tests.filter((test) => wanted.includes(test.status)).length;
  const failures = failedIn(files);
  const problems = failures.map(({ file, title, message }) => `${file}: ${title}\n  ${withoutLibraryFrames(message)}`);
  const counts = { passed: count(['passed']), failed: failures.length, skipped: count(['pending', 'skipped', 'todo']) };
  const ended = again === '-' ? status : again;
  if (counts.passed + counts.failed === 0)
    problems.push(`ran no test, or did not run to its end (exit code ${status})`);
  else if (ended !== '0' && counts.failed === 0)
    problems.push(`ended with exit code ${ended}, although no test failed`);
  const stillMissing = failedIn(first).filter(({ file }) => again !== '-' && !second.has(file));
  for (const { file } of stillMissing) problems.push(`${file}: its second run did not end`);
  return {
    ...{ counts, problems },
    flaky: failedIn(first).filter(
      ({ file, title }) => !failures.some((one) => one.file === file && one.title === title),
    ),
  };
}

const minutes = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

function printSummary(folder) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const problems = [];
  const flaky = [];
  const rows = [['suite', 'time', 'passed', 'failed', 'skipped']];
  for (const line of readFileSync(path.join(folder, 'steps'), 'utf8').trim().split('\n')) {
    const [name, outcome, seconds] = line.split('\t');
    const [kind, status, again] = outcome.split(' ');
    if (kind === 'suite') {
      const suite = readSuite(folder, name, status, again);
      for (const key of Object.keys(total)) total[key] += suite.counts[key];
      problems.push(...suite.problems.map((problem) => `${name}: ${problem}`));
      flaky.push(...suite.flaky);
      rows.push([name, minutes(seconds), ...Object.values(suite.counts).map(String)]);
    } else if (kind === 'unchanged') {
      rows.push([name, '', 'unchanged in the last 24 hours of commits']);
    } else {
      if (status !== '0') problems.push(`${name}: exit code ${status}`);
      rows.push([name, minutes(seconds), status === '0' ? 'ok' : 'FAILED']);
    }
  }
  for (const problem of problems) console.log(`\nFAILED: ${problem}`);
  if (flaky.length > 0) console.log('\nflaky: failed at first, and passed in a second run');
  for (const { file, title, message } of flaky) console.log(`  ${file}: ${title}\n  ${withoutLibraryFrames(message)}`);
  console.log();
  for (const [name, time, ...cells] of rows)
    console.log(name.padEnd(38) + time.padStart(6) + cells.map((cell) => `  ${cell.padStart(7)}`).join(''));
  console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  if (problems.length > 0 || total.passed === 0) process.exitCode = 1;
}

const [command, target] = process.argv.slice(2);
if (command === 'failed-files')
  for (const file of new Set(failedIn(readReport(target)).map(({ file }) => file))) console.log(file);
else printSummary(target);
