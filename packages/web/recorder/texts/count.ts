/** "1 word", "2 words". English and Spanish form the plural of these nouns in the same way. */
export const count = (amount: number, one: string): string => `${amount} ${amount === 1 ? one : `${one}s`}`;
