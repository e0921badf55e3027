/** Why a text is not exactly one phone number. */
export type PhoneErrorReason =
  | 'empty'
  | 'unknown_country'
  | 'letters'
  | 'invalid_characters'
  | 'several_numbers'
  | 'too_short'
  | 'too_long'
  | 'unknown_calling_code'
  | 'not_a_number_of_the_country'
  | 'ambiguous';

export class PhoneError extends Error {
  override readonly name = 'PhoneError';
  readonly reason: PhoneErrorReason;

  constructor(reason: PhoneErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
