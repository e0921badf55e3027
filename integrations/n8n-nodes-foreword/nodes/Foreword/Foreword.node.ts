import type {
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
  JsonObject,
  NodeOperationError as OperationError,
} from 'n8n-workflow';
import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import { describeError } from '../shared/errors';
import { searchMembers, searchTouchpoints } from './list-search';
import { eventOperations, eventProperties } from './resources/event';
import { introOperations, introProperties } from './resources/intro';
import { memberOperations, memberProperties } from './resources/member';
import type { Operation } from './resources/operation';
import { touchpointOperations, touchpointProperties } from './resources/touchpoint';

const OPERATIONS: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  touchpointEvent: eventOperations,
  intro: introOperations,
  member: memberOperations,
  touchpoint: touchpointOperations,
};

function findOperation(context: IExecuteFunctions, itemIndex: number): Operation {
  const resource = context.getNodeParameter('resource', itemIndex) as string;
  const operation = context.getNodeParameter('operation', itemIndex) as string;
  const found = OPERATIONS[resource]?.[operation];
  if (found !== undefined) return found;
  throw new NodeOperationError(context.getNode(), `The resource "${resource}" has no operation "${operation}"`, {
    itemIndex,
  });
}

/** An error that names the item it belongs to. */
function withItem(context: IExecuteFunctions, error: unknown, itemIndex: number): NodeApiError | OperationError {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) {
    error.context.itemIndex ??= itemIndex;
    return error;
  }
  return new NodeOperationError(context.getNode(), error as Error | JsonObject as Error, { itemIndex });
}

export class Foreword implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Foreword',
    name: 'foreword',
    icon: { light: 'file:../../icons/foreword.svg', dark: 'file:../../icons/foreword.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: 'Request short personal videos from your team before they meet a customer',
    defaults: { name: 'Foreword' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'forewordApi', required: true }],
    properties: [
      {
        displayName: 'Resource',
        name: 'resource',
        type: 'options',
        noDataExpression: true,
        default: 'touchpointEvent',
        options: [
          { name: 'Intro', value: 'intro' },
          { name: 'Member', value: 'member' },
          { name: 'Touchpoint', value: 'touchpoint' },
          { name: 'Touchpoint Event', value: 'touchpointEvent' },
        ],
      },
      ...eventProperties,
      ...introProperties,
      ...memberProperties,
      ...touchpointProperties,
    ],
  };

  methods = { listSearch: { searchMembers, searchTouchpoints } };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const output: INodeExecutionData[] = [];
    // One after the other: intros of one run are created in the order of their items.
    for (const itemIndex of this.getInputData().keys()) {
      const pairedItem = { item: itemIndex };
      try {
        const objects = await findOperation(this, itemIndex)(this, itemIndex);
        output.push(...objects.map((json) => ({ json, pairedItem })));
      } catch (cause) {
        const error = withItem(this, cause, itemIndex);
        if (!this.continueOnFail()) throw error;
        output.push({ json: describeError(error), pairedItem });
      }
    }
    return [output];
  }
}
