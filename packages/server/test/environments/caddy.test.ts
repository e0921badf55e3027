import fs from 'node:fs/promises';
import path from 'node:path';
import { findProgram } from './programs.ts';
import { DEPLOY, describeProxy } from './proxies.ts';
import { CDN, HOST } from './proxy-site.ts';

describeProxy({
  // Caddy has no such limit; Foreword's heartbeat comes every 20 seconds.
  silenceLimitMs: 20_000,
  async prepare({ folder, httpPort, httpsPort, upstream, tls }) {
    // Imports the shipped file unchanged. The global options are those of a machine without a public address.
    const main = `
{
	admin off
	http_port ${httpPort}
	https_port ${httpsPort}
	default_bind 127.0.0.1
	storage file_system ${folder}/caddy
	skip_install_trust
	local_certs
	pki {
		ca local {
			root {
				cert ${tls.root}
				key ${tls.rootKey}
			}
		}
	}
}
import ${DEPLOY}/caddy/Caddyfile
`;
    const file = path.join(folder, 'Caddyfile');
    await fs.writeFile(file, main);
    return {
      command: findProgram('caddy', 'caddy'),
      args: ['run', '--config', file, '--adapter', 'caddyfile'],
      env: { HOME: folder, FOREWORD_HOST: HOST, FOREWORD_UPSTREAM: upstream, CDN_NETWORKS: `${CDN}/32` },
    };
  },
});
