/** A random number from 0 up to 1. Other modules get it as a parameter, so that tests can replace it. */
export type Chance = () => number;

export const systemChance: Chance = () => Math.random();
