import type {
  ChangeConsent,
  EraseRecipient,
  ListOptOutsParams,
  OptOut,
  RecipientConsent,
  RecipientErasure,
} from '../generated/types.ts';
import type { List } from '../pages.ts';
import { type RequestOptions, segment, type WriteOptions } from '../request.ts';
import { Resource } from './resource.ts';

const PATH = '/v1/recipients';

export class Recipients extends Resource {
  /** For a recipient who asked you for no more texts. */
  async optOut(body: ChangeConsent, options?: WriteOptions): Promise<OptOut> {
    return this.change(`${PATH}/opt_out`, options, { body });
  }

  /** For a recipient who asked you for texts again. Fails with `recipient_opted_out` if they opted out by text. */
  async optIn(body: ChangeConsent, options?: WriteOptions): Promise<RecipientConsent> {
    return this.change(`${PATH}/opt_in`, options, { body });
  }

  /** The numbers that are not texted, newest opt-out first. */
  listOptOuts(filters: ListOptOutsParams = {}, options: RequestOptions = {}): List<OptOut> {
    return this.pages(`${PATH}/opt_outs`, filters, options);
  }

  /** Removes everything that identifies the recipient with this number. This cannot be undone. */
  async erase(body: EraseRecipient, options?: WriteOptions): Promise<RecipientErasure> {
    return this.change(`${PATH}/erase`, options, { body });
  }

  /** The receipt of an erasure: what was removed, and whether it is complete. */
  async retrieveErasure(id: string, options?: RequestOptions): Promise<RecipientErasure> {
    return this.read(`${PATH}/erasures/${segment('id', id)}`, options);
  }
}
