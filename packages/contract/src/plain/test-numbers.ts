/** No network assigns numbers that begin like this. Texts to them are simulated. */
export const TEST_NUMBER_PREFIX = '+1500555';
export const isTestNumber = (phone: string): boolean => /^\+1500555\d{4}$/.test(phone);
