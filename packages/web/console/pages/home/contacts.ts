export interface PickedContact {
  readonly firstName: string;
  readonly lastName: string;
  readonly phone: string;
}

interface ContactsManager {
  select(
    properties: readonly ('name' | 'tel')[],
    options: { multiple: boolean },
  ): Promise<readonly { readonly name?: readonly string[]; readonly tel?: readonly string[] }[]>;
}

/** Only Chrome on Android supports it. */
const contactsOf = (host: Navigator & { readonly contacts?: ContactsManager }): ContactsManager | null =>
  host.contacts ?? null;

export const canPickContact = (): boolean => contactsOf(navigator) !== null;

/** Null when the user picked no contact. */
export async function pickContact(): Promise<PickedContact | null> {
  const [contact] = (await contactsOf(navigator)?.select(['name', 'tel'], { multiple: false })) ?? [];
  if (contact === undefined) return null;
  const [firstName = '', ...rest] = (contact.name?.[0] ?? '').trim().split(/\s+/);
  return { firstName, lastName: rest.join(' '), phone: contact.tel?.[0] ?? '' };
}
