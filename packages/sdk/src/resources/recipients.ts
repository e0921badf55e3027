import type { EraseRecipient, RecipientErasure } from '../generated/types.ts';
import { type RequestOptions, segment, type WriteOptions } from '../request.ts';
import { Resource } from './resource.ts';

const PATH = '/v1/recipients';

export class Recipients extends Resource {
  /** Removes everything that identifies the recipient with this number. This cannot be undone. */
  async erase(body: EraseRecipient, options?: WriteOptions): Promise<RecipientErasure> {
    return this.change(`${PATH}/erase`, options, { body });
  }

  /** The receipt of an erasure: what was removed, and whether it is complete. */
  async retrieveErasure(id: string, options?: RequestOptions): Promise<RecipientErasure> {
    return this.read(`${PATH}/erasures/${segment('id', id)}`, options);
  }
}
