/** An archive cannot be written or imported. The message is one sentence for the operator. */
export class TransferError extends Error {
  override readonly name = 'TransferError';
}
