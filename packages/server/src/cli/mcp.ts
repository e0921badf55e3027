import { AGENT_GROUPS } from '@foreword/contract';
import { type Static, Type } from 'typebox';
import { readAgentSettings, readConfig } from '../config.ts';
import { describeDatabase } from '../database.ts';
import { type Destination, loadForwarding } from '../mcp/index.ts';
import { findRunningService } from '../platform/service-address.ts';
import { type Command, checkValues } from './command.ts';
import { Failure } from './failure.ts';

const input = Type.Object({
  tools: Type.Optional(
    Type.String({
      description: `Adds tools for rare work: ${AGENT_GROUPS.join(', ')}.`,
      examples: [AGENT_GROUPS.join(',')],
    }),
  ),
});

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

const complain = (problem: string) => process.stderr.write(`foreword: ${problem}\n`);

export const mcpCommand: Command = {
  path: ['mcp'],
  summary:
    'Connects an agent to the service: the Model Context Protocol on stdin and stdout. The key is FOREWORD_API_KEY.',
  operand: undefined,
  input,
  example: 'foreword mcp',
  async perform(values) {
    checkValues(mcpCommand, input, values);
    const { tools } = values as Static<typeof input>;
    const find = async () => ({ ...(await findDestination()), tools });
    const destination = await find();
    const { checkDestination, forwardMessages } = await loadForwarding();
    await checkDestination(destination);
    await forwardMessages(destination, find, complain);
    // stdout has only messages of the protocol.
    return { json: undefined, text: '', exitCode: 0 };
  },
};
