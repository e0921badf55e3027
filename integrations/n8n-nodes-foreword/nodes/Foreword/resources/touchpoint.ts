import type { INodeProperties } from 'n8n-workflow';
import { listPage } from '../../shared/paging';
import type { Operation } from './operation';

const RESOURCE = ['touchpoint'];

export const touchpointProperties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: { show: { resource: RESOURCE } },
    default: 'getAll',
    options: [
      {
        name: 'Get Many',
        value: 'getAll',
        description: "List the organization's touchpoints in its own order",
        action: 'Get many touchpoints',
      },
    ],
  },
  {
    displayName: 'Only Active',
    name: 'onlyActive',
    type: 'boolean',
    default: false,
    description: 'Whether to leave out touchpoints that the organization turned off',
    displayOptions: { show: { resource: RESOURCE, operation: ['getAll'] } },
  },
];

/** The service returns all touchpoints at once. */
const getAll: Operation = async (context, itemIndex) => {
  const { data } = await listPage(context, '/v1/touchpoints', {}, itemIndex);
  const onlyActive = context.getNodeParameter('onlyActive', itemIndex, false) as boolean;
  return onlyActive ? data.filter(({ active }) => active === true) : data;
};

export const touchpointOperations: Readonly<Record<string, Operation>> = { getAll };
