import type { Tenant } from '../../src/db/tenancy.ts';
import { writeResponse } from '../../src/delivery/inbound/replies.ts';
import type { Reply } from '../../src/delivery/store/inbound.ts';
import type { DeliveryFixture, NewIntro } from './delivery-fixture.ts';

export interface Person {
  readonly tenant: Tenant;
  readonly memberId: string;
  readonly phone: string;
}

let people = 0;

/** For tests about received texts: creates people, and texts back. */
export function textingWith(fixture: DeliveryFixture) {
  const { database } = fixture;
  const newPhone = () => `+1312555${String(2_000 + people++).padStart(4, '0')}`;

  return {
    newPhone,
    async createMember({ name = 'Acme Roofing', phone = newPhone(), language = 'en' } = {}): Promise<Person> {
      const created = await fixture.createOrganization({ name, member: { phone, notify_by: 'text' } });
      await database.query('update organizations set language = $2 where id = $1', [
        created.tenant.organizationId,
        language,
      ]);
      return { ...created, phone };
    },
    addColleague: ({ tenant }: Person, first_name: string, last_name: string, active = true) =>
      fixture.addMember(tenant, { first_name, last_name, role: 'member', active }),
    /** Texts the member about a new intro. */
    async ask({ tenant, memberId }: Person, intro: NewIntro = {}): Promise<string> {
      const id = await fixture.createIntro({ tenant, member: memberId, ...intro });
      await fixture.tick();
      return id;
    },
    /** Texts the recipient of a new intro. */
    deliver: ({ tenant, memberId }: Person, intro: NewIntro = {}) =>
      fixture.deliver({ tenant, member: memberId, ...intro }),
    /** Returns the text in response; null if there is none. */
    async text(from: string, body: string, more: Partial<Reply> = {}): Promise<string | null> {
      const { receive } = fixture.delivery.routes.replies;
      const response = await receive({ from, body, organizationId: null, ...more });
      return response === null ? null : writeResponse(response);
    },
    forwardReplies: ({ tenant }: Person, isOn = true) => fixture.configure(tenant, { forwards_replies: isOn }),
    replies: (introId: string) =>
      database.query<{ type: string; label: string; message: string; by_text: boolean }>(
        'select type, label, message, by_text from intro_replies where intro_id = $1 order by number',
        [introId],
      ),
    declines: (introId: string) =>
      database.query('select reason, message, by_text from intro_declines where intro_id = $1', [introId]),
    sent: fixture.messagesFor,
  };
}
