import { RequestError } from '../bridge/index.ts';
import { parseXml, type XmlElement } from './xml.ts';

const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
const OUTBOUND = 'http://soap.sforce.com/2005/09/outbound';
const SOBJECT = 'urn:sobject.enterprise.soap.sforce.com';

/** Salesforce sends at most 100 notifications in one message. */
const MOST_NOTIFICATIONS = 100;

export interface OutboundMessage {
  readonly organizationId: string;
  readonly records: readonly { readonly type: string; readonly id: string }[];
}

const childrenOf = (element: XmlElement, namespace: string, name: string): readonly XmlElement[] =>
  element.children.filter((child) => child.namespace === namespace && child.name === name);

function childOf(element: XmlElement, namespace: string, name: string): XmlElement {
  const [child, second] = childrenOf(element, namespace, name);
  if (child === undefined || second !== undefined) throw new RequestError(400, `the message needs one ${name}`);
  return child;
}

/** `xsi:type="sf:Opportunity"`, where both prefixes may be others. */
function typeOf(sObject: XmlElement): string {
  const [, value] = [...sObject.attributes].find(([name]) => name.endsWith(':type')) ?? [];
  const type = value?.split(':').at(-1);
  if (type === undefined || !/^\w{1,80}$/.test(type)) throw new RequestError(400, 'the type of an sObject is missing');
  return type;
}

/**
 * Reads organization, type and ID of the records. All other fields are ignored: the recipe fetches the record, so that a message
 * that was delayed, forged or sent by another organization cannot change what is reported.
 * https://developer.salesforce.com/docs/atlas.en-us.api.meta/api/sforce_api_om_outboundmessaging_wsdl.htm
 */
export function readOutboundMessage(rawBody: string): OutboundMessage {
  const envelope = parseXml(rawBody);
  if (envelope.namespace !== SOAP || envelope.name !== 'Envelope') throw new RequestError(400, 'the body is not SOAP');
  const message = childOf(childOf(envelope, SOAP, 'Body'), OUTBOUND, 'notifications');
  const notifications = childrenOf(message, OUTBOUND, 'Notification');
  if (notifications.length === 0 || notifications.length > MOST_NOTIFICATIONS)
    throw new RequestError(400, `the message must have 1 to ${MOST_NOTIFICATIONS} notifications`);
  const records = notifications.map((notification) => {
    const sObject = childOf(notification, OUTBOUND, 'sObject');
    const id = childOf(sObject, SOBJECT, 'Id').text;
    if (!isRecordId(id)) throw new RequestError(400, 'the Id of an sObject is not valid');
    return { type: typeOf(sObject), id };
  });
  return { organizationId: childOf(message, OUTBOUND, 'OrganizationId').text, records };
}

export const isRecordId = (id: string): boolean => /^[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?$/.test(id);

/** Salesforce counts a message as delivered only with this answer. */
export const ACKNOWLEDGEMENT = {
  contentType: 'text/xml; charset=utf-8',
  body:
    `<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope xmlns:soapenv="${SOAP}"><soapenv:Body>` +
    `<notificationsResponse xmlns="${OUTBOUND}"><Ack>true</Ack></notificationsResponse></soapenv:Body></soapenv:Envelope>`,
};
