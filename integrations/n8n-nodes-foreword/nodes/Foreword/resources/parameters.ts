import type { IDataObject, IExecuteFunctions, INodeParameterResourceLocator } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { listPage } from '../../shared/paging';

/** A parameter as text. Expressions also return numbers and dates, which the API rejects where it expects text. */
export function readText(context: IExecuteFunctions, name: string, itemIndex: number): string {
  const value = context.getNodeParameter(name, itemIndex, '');
  return value === null || value === undefined ? '' : String(value);
}

/** The same, but a missing value names the parameter. */
export function requireText(context: IExecuteFunctions, name: string, displayName: string, itemIndex: number): string {
  const value = readText(context, name, itemIndex);
  if (value !== '') return value;
  throw new NodeOperationError(context.getNode(), `${displayName} is empty`, { itemIndex });
}

export const readCollection = (context: IExecuteFunctions, name: string, itemIndex: number): IDataObject =>
  context.getNodeParameter(name, itemIndex, {}) as IDataObject;

export function readTouchpoint(context: IExecuteFunctions, itemIndex: number): string {
  const { value } = context.getNodeParameter('touchpoint', itemIndex) as INodeParameterResourceLocator;
  if (value) return String(value);
  throw new NodeOperationError(context.getNode(), 'Touchpoint is empty', { itemIndex });
}

const IDENTIFIERS: Readonly<Record<string, string>> = { externalId: 'external_id', email: 'email' };

/** The member as the API selects one: by `id`, `external_id` or `email`. */
export function readMember(
  context: IExecuteFunctions,
  itemIndex: number,
  name = 'member',
  displayName = 'Member',
): { identifier: string; value: string } {
  const { mode, value } = context.getNodeParameter(name, itemIndex) as INodeParameterResourceLocator;
  if (!value) throw new NodeOperationError(context.getNode(), `${displayName} is empty`, { itemIndex });
  return { identifier: IDENTIFIERS[mode] ?? 'id', value: String(value) };
}

/** The member's ID, for operations whose path contains it. */
export async function resolveMemberId(
  context: IExecuteFunctions,
  itemIndex: number,
  name?: string,
  displayName?: string,
): Promise<string> {
  const { identifier, value } = readMember(context, itemIndex, name, displayName);
  if (identifier === 'id') return value;
  const { data } = await listPage(context, '/v1/members', { [identifier]: value, limit: 2 }, itemIndex);
  const [first, second] = data;
  if (first === undefined)
    throw new NodeOperationError(context.getNode(), `No member has the ${identifier} "${value}"`, { itemIndex });
  if (second !== undefined)
    throw new NodeOperationError(context.getNode(), `Several members have the ${identifier} "${value}"`, {
      itemIndex,
      description: 'Select the member by ID or external ID instead.',
    });
  return String(first.id);
}

/** The given entries without those that have no value. */
export const withoutEmpty = (entries: IDataObject): IDataObject =>
  Object.fromEntries(
    Object.entries(entries).filter(([, value]) => value !== '' && value !== undefined && value !== null),
  );

function readMetadata({ metadata }: IDataObject): IDataObject | undefined {
  const pairs = (metadata as { pairs?: { key: string; value: unknown }[] } | undefined)?.pairs ?? [];
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs.map(({ key, value }) => [key, String(value ?? '')]));
}

function readAppointment({ appointmentStartsAt, appointmentTimezone }: IDataObject): IDataObject | undefined {
  if (!appointmentStartsAt && !appointmentTimezone) return undefined;
  return { starts_at: appointmentStartsAt ?? '', timezone: appointmentTimezone ?? '' };
}

/** The fields that events and intros have in common. */
export function readMoment(
  context: IExecuteFunctions,
  itemIndex: number,
  options: IDataObject,
): { fields: IDataObject; appointment: IDataObject | undefined } {
  const { identifier, value } = readMember(context, itemIndex);
  const fields = withoutEmpty({
    member: { [identifier]: value },
    recipient: withoutEmpty({
      first_name: requireText(context, 'recipientFirstName', 'Recipient First Name', itemIndex),
      last_name: options.recipientLastName,
      phone: requireText(context, 'recipientPhone', 'Recipient Phone', itemIndex),
    }),
    reference: withoutEmpty({
      source: requireText(context, 'source', 'Source', itemIndex),
      type: options.recordType,
      id: requireText(context, 'recordId', 'Record ID', itemIndex),
    }),
    metadata: readMetadata(options),
  });
  return { fields, appointment: readAppointment(options) };
}

export const readKey = (context: IExecuteFunctions, itemIndex: number): string =>
  requireText(context, 'idempotencyKey', 'Idempotency Key', itemIndex);

/** The limit of a list; undefined for everything. */
export const readLimit = (context: IExecuteFunctions, itemIndex: number): { limit?: number } =>
  context.getNodeParameter('returnAll', itemIndex, false)
    ? {}
    : { limit: context.getNodeParameter('limit', itemIndex, 50) as number };

/**
 * Filters as query parameters: several values of one filter are separated by commas. One without a value, such as an expression that
 * found nothing, must not return the objects of everyone.
 */
export function readFilters(context: IExecuteFunctions, itemIndex: number): IDataObject {
  const filters = Object.entries(readCollection(context, 'filters', itemIndex)).map(
    ([name, value]) => [name, Array.isArray(value) ? value.join(',') : (value ?? '')] as const,
  );
  const empty = filters.find(([, value]) => value === '');
  if (empty === undefined) return Object.fromEntries(filters);
  throw new NodeOperationError(context.getNode(), `The filter ${empty[0]} is empty: give it a value or remove it`, {
    itemIndex,
  });
}
