import type { INodeProperties } from 'n8n-workflow';

type Show = Readonly<Record<string, string[]>>;

/** Shows the properties only for these resources and operations. */
export const showFor = (properties: INodeProperties[], show: Show): INodeProperties[] =>
  properties.map((property) => ({ ...property, displayOptions: { show: { ...show } } }));

export const touchpointLocator: INodeProperties = {
  displayName: 'Touchpoint',
  name: 'touchpoint',
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  required: true,
  description: 'The moment, as the organization named it in Foreword',
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: 'Select a touchpoint...',
      typeOptions: { searchListMethod: 'searchTouchpoints', searchable: true },
    },
    { displayName: 'By Slug', name: 'slug', type: 'string', placeholder: 'e.g. new_appointment' },
  ],
};

export const memberLocator = (
  name: string,
  displayName: string,
  description: string,
  show?: Show,
): INodeProperties => ({
  displayName,
  name,
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  required: true,
  description,
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: 'Select a member...',
      typeOptions: { searchListMethod: 'searchMembers', searchable: true },
    },
    { displayName: 'By External ID', name: 'externalId', type: 'string', placeholder: 'e.g. rep_17' },
    { displayName: 'By Email', name: 'email', type: 'string', placeholder: 'e.g. ana@acme.example' },
    { displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. mem_01kahzv8e1f0rtx5m2q6n9d3bw' },
  ],
  ...(show && { displayOptions: { show: { ...show } } }),
});

export const recipientFields: INodeProperties[] = [
  {
    displayName: 'Recipient First Name',
    name: 'recipientFirstName',
    type: 'string',
    default: '',
    required: true,
    placeholder: 'e.g. Dana',
    description: 'The customer whom the video is for',
  },
  {
    displayName: 'Recipient Phone',
    name: 'recipientPhone',
    type: 'string',
    default: '',
    required: true,
    placeholder: 'e.g. +14155550123',
    description: 'The mobile number in E.164 format: a plus sign, the country code and the number, without spaces',
  },
];

export const recordFields: INodeProperties[] = [
  {
    displayName: 'Source',
    name: 'source',
    type: 'string',
    default: '',
    required: true,
    placeholder: 'e.g. acme_crm',
    description: 'The system that the record is in. Part of the Idempotency Key.',
  },
  {
    displayName: 'Record ID',
    name: 'recordId',
    type: 'string',
    default: '',
    required: true,
    placeholder: 'e.g. appt_8812',
    description: 'The ID of the record in that system. Part of the Idempotency Key.',
  },
];

export const keyField = (expression: string): INodeProperties => ({
  displayName: 'Idempotency Key',
  name: 'idempotencyKey',
  type: 'string',
  default: expression,
  required: true,
  description:
    'Identifies this request, so that a repeat creates nothing twice. Build it from the record, never from random values or the current time.',
});

export const changeIdField: INodeProperties = {
  displayName: 'Change ID',
  name: 'changeId',
  type: 'string',
  default: '',
  required: true,
  placeholder: 'e.g. 2026-03-10T09:15:00Z',
  description:
    'Identifies this change of the record, such as its revision or the time it was modified in your system. A change is applied once for each value.',
};

/** Optional values of an event and of an intro. */
export const contextOptions: INodeProperties[] = [
  {
    displayName: 'Appointment Starts At',
    name: 'appointmentStartsAt',
    type: 'string',
    default: '',
    placeholder: 'e.g. 2026-03-12T14:30:00',
    description: 'ISO 8601. Without an offset, the time is local to Appointment Time Zone.',
  },
  {
    displayName: 'Appointment Time Zone',
    name: 'appointmentTimezone',
    type: 'string',
    default: '',
    placeholder: 'e.g. America/Chicago',
    description: 'IANA name of the time zone of the appointment. Required with Appointment Starts At.',
  },
];

export const metadataOption: INodeProperties = {
  displayName: 'Metadata',
  name: 'metadata',
  type: 'fixedCollection',
  typeOptions: { multipleValues: true },
  default: {},
  placeholder: 'Add Pair',
  description: 'Your own values, which Foreword stores and returns unchanged',
  options: [
    {
      displayName: 'Pair',
      name: 'pairs',
      values: [
        { displayName: 'Key', name: 'key', type: 'string', default: '' },
        { displayName: 'Value', name: 'value', type: 'string', default: '' },
      ],
    },
  ],
};

export const partOption: INodeProperties = {
  displayName: 'Distinguishing Part',
  name: 'part',
  type: 'string',
  default: '',
  placeholder: 'e.g. roofing',
  description: 'Part of the Idempotency Key, for a record that can reach the same touchpoint more than once',
};

export const revisionOption: INodeProperties = {
  displayName: 'Record Revision',
  name: 'revision',
  type: 'string',
  default: '',
  placeholder: 'e.g. 3',
  description:
    'Part of the Idempotency Key, for an appointment that can move back to an earlier time: its revision in your system',
};

export const lastNameOption: INodeProperties = {
  displayName: 'Recipient Last Name',
  name: 'recipientLastName',
  type: 'string',
  default: '',
};

export const recordTypeOption: INodeProperties = {
  displayName: 'Record Type',
  name: 'recordType',
  type: 'string',
  default: '',
  placeholder: 'e.g. appointment',
  description: 'The kind of record, such as appointment, job or deal',
};

export const pagingFields: INodeProperties[] = [
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    default: false,
    description: 'Whether to return all results or only up to a given limit',
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: 50,
    description: 'Max number of results to return',
  },
];

/** Return All and Limit; the limit is hidden when everything is returned. */
export const pagingFor = (show: Show): INodeProperties[] =>
  showFor(pagingFields, show).map((property) =>
    property.name === 'limit' ? { ...property, displayOptions: { show: { ...show, returnAll: [false] } } } : property,
  );

export const createdFilters: INodeProperties[] = [
  {
    displayName: 'Created After',
    name: 'created_after',
    type: 'string',
    default: '',
    placeholder: 'e.g. 2026-03-10T00:00:00Z',
    description: 'Only objects created at this time or later: ISO 8601 with an offset or Z',
  },
  {
    displayName: 'Created Before',
    name: 'created_before',
    type: 'string',
    default: '',
    placeholder: 'e.g. 2026-03-11T00:00:00Z',
    description: 'Only objects created before this time: ISO 8601 with an offset or Z',
  },
];

export const referenceFilter: INodeProperties = {
  displayName: 'Record ID',
  name: 'reference_id',
  type: 'string',
  default: '',
  description: 'The record ID that was sent with the event or the intro',
};
