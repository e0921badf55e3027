/** Kill loops and stalls run a few rounds, and all of them with FOREWORD_CI=all. */
export const isLong = process.env.FOREWORD_CI === 'all';
