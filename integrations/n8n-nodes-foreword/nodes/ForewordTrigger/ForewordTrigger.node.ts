import type {
  IDataObject,
  IHookFunctions,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { isRegistered, readStored, register, unregister } from './endpoint';
import { isValidSignature } from './signature';

const EVENTS = [
  ['All Events', '*', 'Every event, including future ones'],
  ['Event Failed', 'touchpoint_event.failed', 'A touchpoint event failed; error contains the reason'],
  ['Event Processed', 'touchpoint_event.processed', 'A touchpoint event was processed; intro is the ID of its intro'],
  ['Intro Cancelled', 'intro.cancelled', 'An intro was cancelled'],
  ['Intro Delivery Failed', 'intro.delivery_failed', 'The link could not be delivered to the recipient'],
  ['Intro Expired', 'intro.expired', 'An intro expired without being sent'],
  ['Intro Member Unreachable', 'intro.member_unreachable', 'No message could reach the member'],
  ['Intro Opened', 'intro.opened', 'A person opened the page for the first time'],
  ['Intro Ready', 'intro.ready', 'The video is recorded'],
  ['Intro Clicked', 'intro.clicked', 'The recipient tapped something on the page; clicks contains it'],
  ['Intro Declined', 'intro.declined', 'The member declined to record the intro; declined has the reason'],
  ['Intro Reassigned', 'intro.reassigned', 'Another member records the intro'],
  ['Intro Replied', 'intro.replied', 'The recipient replied on the page; reply has the reply'],
  ['Intro Requested', 'intro.requested', 'An intro was created and waits for the member to record'],
  ['Intro Sent', 'intro.sent', 'The link was sent to the recipient'],
  ['Intro Taken Down', 'intro.taken_down', 'The page of a sent intro was taken down'],
  ['Intro Watched', 'intro.watched', 'The video was watched to its end for the first time'],
  ['Recipient Erased', 'recipient.erased', 'A recipient was erased'],
  ['Recipient Opted In', 'recipient.opted_in', 'A recipient allowed messages again'],
  ['Recipient Opted Out', 'recipient.opted_out', 'A recipient opted out of messages'],
] as const;

const first = (value: string | string[] | undefined): string => (Array.isArray(value) ? value[0] : value) ?? '';

/** The body as it was sent. Parsing and serializing it again could change it, and then no signature would match. */
async function readRawBody(request: ReturnType<IWebhookFunctions['getRequestObject']>): Promise<Buffer> {
  if (request.rawBody === undefined) await request.readRawBody();
  return request.rawBody ?? Buffer.alloc(0);
}

function parseObject(text: string): IDataObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as IDataObject) : undefined;
  } catch {
    return undefined;
  }
}

function reject(context: IWebhookFunctions, status: number, code: string, message: string): IWebhookResponseData {
  context.getResponseObject().status(status).json({ error: { code, message } });
  return { noWebhookResponse: true };
}

export class ForewordTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Foreword Trigger',
    name: 'forewordTrigger',
    icon: { light: 'file:../../icons/foreword.svg', dark: 'file:../../icons/foreword.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{ $parameter["events"].join(", ") }}',
    description: 'Starts the workflow when a video is recorded, sent or watched',
    defaults: { name: 'Foreword Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'forewordApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        displayName: 'Events',
        name: 'events',
        type: 'multiOptions',
        required: true,
        default: ['intro.ready'],
        options: EVENTS.map(([name, value, description]) => ({ name, value, description })),
      },
      {
        displayName: 'Run for Test Messages',
        name: 'runForTests',
        type: 'boolean',
        default: false,
        description:
          'Whether an active workflow also runs for test messages from the Foreword console, whose IDs exist nowhere',
      },
    ],
  };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        return await isRegistered(this);
      },
      async create(this: IHookFunctions): Promise<boolean> {
        return await register(this);
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        return await unregister(this);
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const headers = this.getHeaderData();
    const id = first(headers['webhook-id']);
    const [timestamp, signature] = [first(headers['webhook-timestamp']), first(headers['webhook-signature'])];
    const rawBody = await readRawBody(this.getRequestObject());
    const secret = readStored(this)?.secret ?? '';
    if (!isValidSignature(secret, { id, timestamp, signature }, rawBody, Date.now()))
      return reject(
        this,
        401,
        'invalid_signature',
        'The signature does not match, or the message is too old. If the secret was rotated, deactivate the workflow and activate it again.',
      );
    const message = parseObject(rawBody.toString('utf8'));
    if (message === undefined) return reject(this, 400, 'invalid_body', 'The body is not a JSON object.');
    const isTest = first(headers['webhook-test']) === 'true';
    const isSkipped = isTest && this.getMode() !== 'manual' && this.getNodeParameter('runForTests', false) !== true;
    // Without data, n8n responds with 200 and starts no workflow.
    if (isSkipped) return { webhookResponse: { skipped: 'test message' } };
    const { type, timestamp: at, data } = message;
    return { workflowData: [[{ json: { id, type, timestamp: at, data, ...(isTest && { test: true }) } }]] };
  }
}
