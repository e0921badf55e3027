import { AGENT_GROUPS } from '@foreword/contract';
import { readAgentSettings, readConfig } from '../app/config/index.ts';
import { describeDatabase } from '../app/database.ts';
import { type Destination, loadForwarding } from '../http/mcp/index.ts';
import { findRunningService } from '../platform/data-dir.ts';
import { defineCommand, Option } from './command.ts';
import { complain, Failure } from './terminal.ts';

/** FOREWORD_URL, otherwise the service that runs on this machine. */
async function findDestination(): Promise<Destination> {
  const { url, apiKey } = readAgentSettings();
  if (apiKey === undefined) {
    throw new Failure('FOREWORD_API_KEY is not set: the API key that the agent uses. See foreword key create --help.');
  }
  if (url !== undefined) return { url, apiKey };
  const config = readConfig();
  const running = await findRunningService(config.dataDir, describeDatabase(config));
  if (running !== null) return { url: running.localUrl, apiKey };
  throw new Failure(
    `No service runs with the data folder ${config.dataDir}. Start it, or set FOREWORD_URL to its address.`,
  );
}

export const mcpCommand = defineCommand(
  {
    name: 'mcp',
    summary:
      'Connects an agent to the service: the Model Context Protocol on stdin and stdout. The key is FOREWORD_API_KEY.',
    input: {
      tools: Option(`Adds tools for rare work: ${AGENT_GROUPS.join(', ')}.`),
    },
  },
  async ({ tools }) => {
    const find = async () => ({ ...(await findDestination()), tools });
    const destination = await find();
    const { checkDestination, forwardMessages } = await loadForwarding();
    await checkDestination(destination);
    await forwardMessages(destination, find, complain);
    // stdout has only messages of the protocol.
    return { json: undefined, text: '' };
  },
);
