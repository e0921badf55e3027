// `npm start` runs it, because the service itself would end with a stack trace. Plain JavaScript, for any version of Node.
const OLDEST_MAJOR = 26;

if (Number(process.versions.node.split('.')[0]) < OLDEST_MAJOR) {
  process.stderr.write(
    `foreword: needs Node ${OLDEST_MAJOR} or later, not ${process.versions.node}: install it, or run npm ci without ` +
      '--omit=optional, which installs it on Linux\n',
  );
  process.exit(1);
}
await import('../src/main.ts');
