import { deriveCommand } from './operations.ts';

export const linkDomainCommands = [
  deriveCommand('link-domain add', 'createLinkDomain', {
    operand: 'host',
    summary: "Adds a host for recipients' links, and shows what to publish. A running service checks it.",
    example: 'go.acme.example',
  }),
  deriveCommand('link-domain list', 'listLinkDomains', {
    summary: 'Lists the link domains of an organization, newest first.',
    columns: ['id', 'host', 'state', 'failure', 'checked_at'],
  }),
  deriveCommand('link-domain check', 'checkLinkDomain', {
    of: 'lkd',
    summary: 'Lets a running service check a link domain now. The result appears in the list.',
  }),
  deriveCommand('link-domain remove', 'deleteLinkDomain', {
    of: 'lkd',
    summary: 'Removes a link domain. Links that were sent work while the domain leads here.',
  }),
];
