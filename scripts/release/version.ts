/** Every tracked file that contains the version, with the text before it and the version itself. */
export const VERSIONED_FILES: Readonly<Record<string, RegExp>> = {
  'packages/server/package.json': /^( {2}"version": ")([^"]+)/gm,
  'package-lock.json': /("packages\/server": \{\n(?: {6}.*\n)*? {6}"version": ")([^"]+)/g,
  'openapi.json': /^( {4}"version": ")([^"]+)/gm,
  'deploy/helm/foreword/Chart.yaml': /^((?:version|appVersion): "?)([^"\n]+)/gm,
  'docs/self-hosting/kubernetes.md': /(\/foreword:)(\d+\.\d+\.\d+[\w.-]*)/g,
  'deploy/helm/foreword/README.md': /(\/foreword:)(\d+\.\d+\.\d+[\w.-]*)/g,
};

const patternOf = (file: string): RegExp => {
  const pattern = VERSIONED_FILES[file];
  if (pattern === undefined) throw new Error(`${file} is not in VERSIONED_FILES`);
  return pattern;
};

export const versionsIn = (file: string, content: string): string[] =>
  [...content.matchAll(patternOf(file))].map(([, , version = '']) => version);

export const withVersion = (file: string, content: string, version: string): string =>
  content.replace(patternOf(file), (_match, before: string) => before + version);
