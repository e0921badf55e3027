import type { INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { listObjects } from '../../shared/paging';
import { callForeword } from '../../shared/request';
import {
  contextOptions,
  createdFilters,
  keyField,
  lastNameOption,
  memberLocator,
  metadataOption,
  pagingFor,
  partOption,
  recipientFields,
  recordFields,
  recordTypeOption,
  referenceFilter,
  showFor,
} from './fields';
import type { Operation } from './operation';
import { readCollection, readFilters, readKey, readLimit, readMoment, requireText, withoutEmpty } from './parameters';
import { nextWaitS, secondsLeft } from './waiting';

const RESOURCE = ['intro'];
const DEFAULT_KEY =
  '={{ [$parameter.source, $parameter.recordId, "intro", $parameter.additionalFields.part].filter(part => part).join(":") }}';

const additionalFields: INodeProperties = {
  displayName: 'Additional Fields',
  name: 'additionalFields',
  type: 'collection',
  placeholder: 'Add Field',
  default: {},
  options: [
    ...contextOptions,
    {
      displayName: 'Delivery',
      name: 'responsibility',
      type: 'options',
      default: 'integration',
      description: 'Who sends the link of the page to the recipient',
      options: [
        { name: 'Foreword Texts the Link', value: 'service' },
        { name: 'This Workflow Sends the Link', value: 'integration' },
      ],
    },
    partOption,
    metadataOption,
    lastNameOption,
    recordTypeOption,
    {
      displayName: 'Script',
      name: 'script',
      type: 'string',
      typeOptions: { rows: 4 },
      default: '',
      description: 'The words that the member reads while recording: about 37 words for 15 seconds',
    },
    {
      displayName: 'Title',
      name: 'title',
      type: 'string',
      default: '',
      description: 'The line above the video on the page',
    },
  ],
};

export const introProperties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: RESOURCE } },
    default: 'create',
    options: [
      { name: 'Cancel', value: 'cancel', description: 'Make its links stop working', action: 'Cancel an intro' },
      {
        name: 'Create',
        value: 'create',
        description: 'Request a video from a member directly, without a touchpoint',
        action: 'Create an intro',
      },
      { name: 'Get', value: 'get', description: 'Retrieve an intro', action: 'Get an intro' },
      { name: 'Get Many', value: 'getAll', description: 'List intros, newest first', action: 'Get many intros' },
      {
        name: 'Mark as Sent',
        value: 'markSent',
        description: 'Report that this workflow sent the link to the recipient',
        action: 'Mark an intro as sent',
      },
      {
        name: 'Wait Until Recorded',
        value: 'waitUntilRecorded',
        description: 'Wait a short time for the video; use the Foreword Trigger for longer waits',
        action: 'Wait until an intro is recorded',
      },
    ],
  },
  ...showFor(
    [
      memberLocator('member', 'Member', 'The team member who records the video'),
      ...recipientFields,
      ...recordFields,
      additionalFields,
      keyField(DEFAULT_KEY),
    ],
    { resource: RESOURCE, operation: ['create'] },
  ),
  {
    displayName: 'Intro ID',
    name: 'introId',
    type: 'string',
    default: '',
    required: true,
    placeholder: 'e.g. int_01kahzv8e1f0rtx5m2q6n9d3bw',
    displayOptions: { show: { resource: RESOURCE, operation: ['cancel', 'get', 'markSent', 'waitUntilRecorded'] } },
  },
  ...showFor([keyField('={{ "cancel:" + $parameter.introId }}')], { resource: RESOURCE, operation: ['cancel'] }),
  ...showFor([keyField('={{ "mark_sent:" + $parameter.introId }}')], { resource: RESOURCE, operation: ['markSent'] }),
  {
    displayName: 'Wait at Most (Seconds)',
    name: 'waitS',
    type: 'number',
    typeOptions: { minValue: 1, maxValue: 3600 },
    default: 60,
    description: 'The execution stays active while it waits',
    displayOptions: { show: { resource: RESOURCE, operation: ['waitUntilRecorded'] } },
  },
  ...pagingFor({ resource: RESOURCE, operation: ['getAll'] }),
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add Filter',
    default: {},
    displayOptions: { show: { resource: RESOURCE, operation: ['getAll'] } },
    options: [
      ...createdFilters,
      { displayName: 'Member ID', name: 'member', type: 'string', default: '' },
      {
        displayName: 'Recipient Phone',
        name: 'recipient_phone',
        type: 'string',
        default: '',
        placeholder: 'e.g. +14155550123',
      },
      referenceFilter,
      {
        displayName: 'Status',
        name: 'status',
        type: 'multiOptions',
        default: [],
        options: [
          { name: 'Cancelled', value: 'cancelled' },
          { name: 'Expired', value: 'expired' },
          { name: 'Ready', value: 'ready' },
          { name: 'Requested', value: 'requested' },
          { name: 'Sent', value: 'sent' },
        ],
      },
      {
        displayName: 'Touchpoint',
        name: 'touchpoint',
        type: 'string',
        default: '',
        placeholder: 'e.g. new_appointment',
        description: 'The slug of a touchpoint',
      },
    ],
  },
];

const create: Operation = async (context, itemIndex) => {
  const options = readCollection(context, 'additionalFields', itemIndex);
  const { fields, appointment } = readMoment(context, itemIndex, options);
  const page = withoutEmpty({ title: options.title, appointment });
  const body = {
    ...fields,
    ...(Object.keys(page).length > 0 && { context: page }),
    ...(options.script && { instructions: { script: options.script } }),
    ...(options.responsibility && { delivery: { responsibility: options.responsibility } }),
  };
  const idempotencyKey = readKey(context, itemIndex);
  return [await callForeword(context, { method: 'POST', path: '/v1/intros', body, idempotencyKey, itemIndex })];
};

const get: Operation = async (context, itemIndex) => {
  const id = requireText(context, 'introId', 'Intro ID', itemIndex);
  return [await callForeword(context, { method: 'GET', path: `/v1/intros/${encodeURIComponent(id)}`, itemIndex })];
};

const getAll: Operation = (context, itemIndex) =>
  listObjects(context, {
    path: '/v1/intros',
    query: readFilters(context, itemIndex),
    ...readLimit(context, itemIndex),
    itemIndex,
  });

const act =
  (action: string): Operation =>
  async (context, itemIndex) => {
    const id = requireText(context, 'introId', 'Intro ID', itemIndex);
    const path = `/v1/intros/${encodeURIComponent(id)}/${action}`;
    const idempotencyKey = readKey(context, itemIndex);
    return [await callForeword(context, { method: 'POST', path, idempotencyKey, itemIndex })];
  };

/** The intro once it has a video. An intro that closed, or takes longer, is an error, so that no empty link is sent. */
const waitUntilRecorded: Operation = async (context, itemIndex) => {
  const id = requireText(context, 'introId', 'Intro ID', itemIndex);
  const path = `/v1/intros/${encodeURIComponent(id)}`;
  const left = secondsLeft(context.getNodeParameter('waitS', itemIndex, 60) as number);
  let intro = await callForeword(context, { method: 'GET', path, itemIndex });
  while (intro.status === 'requested') {
    if (left() <= 0)
      throw new NodeOperationError(context.getNode(), `The intro ${id} is not recorded yet`, {
        itemIndex,
        description: 'Recording takes minutes to days. Start a workflow with the Foreword Trigger instead.',
      });
    const waitS = nextWaitS(left());
    const query = { wait: waitS, version: intro.version };
    intro = await callForeword(context, { method: 'GET', path, query, waitS, itemIndex });
  }
  if (intro.status === 'cancelled' || intro.status === 'expired')
    throw new NodeOperationError(context.getNode(), `The intro ${id} is ${intro.status}`, { itemIndex });
  return [intro];
};

export const introOperations: Readonly<Record<string, Operation>> = {
  create,
  get,
  getAll,
  cancel: act('cancel'),
  markSent: act('mark_sent'),
  waitUntilRecorded,
};
