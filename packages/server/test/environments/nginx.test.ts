import fs from 'node:fs/promises';
import path from 'node:path';
import { findProgram } from './programs.ts';
import { DEPLOY, describeProxy } from './proxies.ts';
import { HOST, type ProxySetup } from './proxy-site.ts';

/** Makes the replacements that the file asks for, and moves it to other ports. */
async function configure({ folder, httpPort, httpsPort, upstream, tls }: ProxySetup): Promise<string> {
  let text = await fs.readFile(path.join(DEPLOY, 'nginx/foreword.conf'), 'utf8');
  const replacements: [from: string | RegExp, to: string][] = [
    [/\/etc\/letsencrypt\/live\/intros\.example\.com\/fullchain\.pem/g, tls.certificate],
    [/\/etc\/letsencrypt\/live\/intros\.example\.com\/privkey\.pem/g, tls.key],
    [/intros\.example\.com/g, HOST],
    [/127\.0\.0\.1:3000/g, upstream],
    [/listen 80;/, `listen 127.0.0.1:${httpPort};`],
    [/listen 443 /, `listen 127.0.0.1:${httpsPort} `],
    // Machines without IPv6 could not listen.
    [/^ *listen \[::\].*\n/gm, ''],
  ];
  for (const [from, to] of replacements) {
    if (text.search(from) < 0) throw new Error(`foreword.conf does not contain ${from}`);
    text = text.replace(from, to);
  }
  const file = path.join(folder, 'foreword.conf');
  await fs.writeFile(file, text);
  return file;
}

describeProxy({
  silenceLimitMs: 60_000,
  async prepare(setup) {
    const { folder } = setup;
    const site = await configure(setup);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const main = `
daemon off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
include ${site};
}
`;
    const file = path.join(folder, 'nginx.conf');
    await fs.writeFile(file, main);
    return { command: findProgram('nginx', 'nginx'), args: ['-e', 'stderr', '-p', folder, '-c', file] };
  },
});
