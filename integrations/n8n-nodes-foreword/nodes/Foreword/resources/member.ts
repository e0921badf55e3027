import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { listObjects } from '../../shared/paging';
import { callForeword } from '../../shared/request';
import { changeIdField, keyField, memberLocator, pagingFor, showFor } from './fields';
import type { Operation } from './operation';
import {
  readCollection,
  readFilters,
  readKey,
  readLimit,
  requireText,
  resolveMemberId,
  withoutEmpty,
} from './parameters';

const RESOURCE = ['member'];
const ONE_MEMBER = ['deactivate', 'get', 'reactivate', 'update'];

const phone: INodeProperties = {
  displayName: 'Phone',
  name: 'phone',
  type: 'string',
  default: '',
  placeholder: 'e.g. +15005550131',
  description: 'The mobile number in E.164 format, to which the requests to record are sent',
};

const title: INodeProperties = {
  displayName: 'Job Title',
  name: 'title',
  type: 'string',
  default: '',
  placeholder: 'e.g. Project manager',
  description: 'Recipients see it',
};

const lanes: INodeProperties = {
  displayName: 'Lanes',
  name: 'lanes',
  type: 'multiOptions',
  default: [],
  description: 'The lines of business that the member works in; none means all',
  options: [
    { name: 'Insurance', value: 'insurance' },
    { name: 'Retail', value: 'retail' },
  ],
};

const nameFields: INodeProperties[] = [
  { displayName: 'First Name', name: 'first_name', type: 'string', default: '' },
  { displayName: 'Last Name', name: 'last_name', type: 'string', default: '' },
  { displayName: 'Email', name: 'email', type: 'string', default: '', placeholder: 'name@email.com' },
];

const keyOf = (operation: string): INodeProperties[] =>
  showFor([keyField(`={{ ["member", $parameter.member, "${operation}", $parameter.changeId].join(":") }}`)], {
    resource: RESOURCE,
    operation: [operation],
  });

export const memberProperties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: RESOURCE } },
    default: 'upsert',
    options: [
      {
        name: 'Create or Update',
        value: 'upsert',
        description: 'Create a new record, or update the current one if it already exists (upsert)',
        action: 'Create or update a member',
      },
      {
        name: 'Deactivate',
        value: 'deactivate',
        description: 'The member gets no new intros',
        action: 'Deactivate a member',
      },
      { name: 'Get', value: 'get', description: 'Retrieve a member', action: 'Get a member' },
      { name: 'Get Many', value: 'getAll', description: 'List members, newest first', action: 'Get many members' },
      {
        name: 'Reactivate',
        value: 'reactivate',
        description: 'The member can get new intros again',
        action: 'Reactivate a member',
      },
      { name: 'Update', value: 'update', description: 'Change the given fields', action: 'Update a member' },
    ],
  },
  memberLocator('member', 'Member', 'The team member', { resource: RESOURCE, operation: ONE_MEMBER }),
  ...showFor(
    [
      {
        displayName: 'External ID',
        name: 'externalId',
        type: 'string',
        default: '',
        required: true,
        placeholder: 'e.g. rep_17',
        description: 'Your own ID of the member. A member with this ID is updated, otherwise one is created.',
      },
      ...nameFields.map((field) => ({ ...field, required: true })),
    ],
    { resource: RESOURCE, operation: ['upsert'] },
  ),
  ...showFor([changeIdField], { resource: RESOURCE, operation: ['deactivate', 'reactivate', 'update', 'upsert'] }),
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    displayOptions: { show: { resource: RESOURCE, operation: ['upsert'] } },
    options: [title, lanes, phone],
  },
  {
    displayName: 'Update Fields',
    name: 'updateFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    displayOptions: { show: { resource: RESOURCE, operation: ['update'] } },
    options: [
      nameFields[2] as INodeProperties,
      { displayName: 'External ID', name: 'external_id', type: 'string', default: '' },
      nameFields[0] as INodeProperties,
      title,
      lanes,
      nameFields[1] as INodeProperties,
      phone,
    ],
  },
  {
    displayName: 'Open Intros',
    name: 'openIntros',
    type: 'options',
    default: 'keep',
    description: "The action for the member's intros that are not sent",
    displayOptions: { show: { resource: RESOURCE, operation: ['deactivate'] } },
    options: [
      { name: 'Cancel', value: 'cancel', description: 'Their links stop working' },
      { name: 'Keep', value: 'keep', description: 'The member can still record them' },
      { name: 'Reassign', value: 'reassign', description: 'Another member records them' },
    ],
  },
  memberLocator('reassignTo', 'Reassign To', 'The member who records the open intros from now on', {
    resource: RESOURCE,
    operation: ['deactivate'],
    openIntros: ['reassign'],
  }),
  ...showFor([keyField('={{ ["member", $parameter.externalId, $parameter.changeId].join(":") }}')], {
    resource: RESOURCE,
    operation: ['upsert'],
  }),
  ...['update', 'deactivate', 'reactivate'].flatMap(keyOf),
  ...pagingFor({ resource: RESOURCE, operation: ['getAll'] }),
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add Filter',
    default: {},
    displayOptions: { show: { resource: RESOURCE, operation: ['getAll'] } },
    options: [
      {
        displayName: 'Active',
        name: 'active',
        type: 'boolean',
        default: true,
        description: 'Whether to return active members or deactivated ones',
      },
      { displayName: 'Email', name: 'email', type: 'string', default: '', placeholder: 'name@email.com' },
      { displayName: 'External ID', name: 'external_id', type: 'string', default: '' },
    ],
  },
];

const upsert: Operation = async (context, itemIndex) => {
  requireText(context, 'changeId', 'Change ID', itemIndex);
  const body = {
    external_id: requireText(context, 'externalId', 'External ID', itemIndex),
    first_name: requireText(context, 'first_name', 'First Name', itemIndex),
    last_name: requireText(context, 'last_name', 'Last Name', itemIndex),
    email: requireText(context, 'email', 'Email', itemIndex),
    ...withoutEmpty(readCollection(context, 'additionalFields', itemIndex)),
  };
  const idempotencyKey = readKey(context, itemIndex);
  return [await callForeword(context, { method: 'POST', path: '/v1/members', body, idempotencyKey, itemIndex })];
};

const get: Operation = async (context, itemIndex) => {
  const id = await resolveMemberId(context, itemIndex);
  return [await callForeword(context, { method: 'GET', path: `/v1/members/${encodeURIComponent(id)}`, itemIndex })];
};

const getAll: Operation = (context, itemIndex) =>
  listObjects(context, {
    path: '/v1/members',
    query: readFilters(context, itemIndex),
    ...readLimit(context, itemIndex),
    itemIndex,
  });

/** Changes a member. Every change needs its own key: with an earlier one, the service returns the earlier result. */
const change =
  (suffix: string, readBody: (...args: Parameters<Operation>) => Promise<IDataObject>): Operation =>
  async (context, itemIndex) => {
    requireText(context, 'changeId', 'Change ID', itemIndex);
    const path = `/v1/members/${encodeURIComponent(await resolveMemberId(context, itemIndex))}${suffix}`;
    const body = await readBody(context, itemIndex);
    const idempotencyKey = readKey(context, itemIndex);
    return [await callForeword(context, { method: 'POST', path, body, idempotencyKey, itemIndex })];
  };

const update = change('', async (context, itemIndex) => {
  const fields = readCollection(context, 'updateFields', itemIndex);
  if (Object.keys(fields).length > 0) return fields;
  throw new NodeOperationError(context.getNode(), 'Add at least one field to Update Fields', { itemIndex });
});

const deactivate = change('/deactivate', async (context, itemIndex) => {
  const choice = context.getNodeParameter('openIntros', itemIndex, 'keep') as string;
  if (choice !== 'reassign') return { open_intros: choice };
  return { open_intros: { reassign_to: await resolveMemberId(context, itemIndex, 'reassignTo', 'Reassign To') } };
});

const reactivate = change('/reactivate', async () => ({}));

export const memberOperations: Readonly<Record<string, Operation>> = {
  upsert,
  get,
  getAll,
  update,
  deactivate,
  reactivate,
};
