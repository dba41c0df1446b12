/** Programs at random, of everything that makes the order of things matter: branches, races, timers, failures, questions. */

export type Random = () => number;

/** The same seed gives the same numbers. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Three programs; the second and third use what the first one made. */
export function randomPrograms(random: Random): string[] {
  let unique = 0;
  const next = () => ++unique;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const branch = (depth: number) => `(async () => ${expression(depth - 1)})()`;
  const branches = (count: number, depth: number) => Array.from({ length: count }, () => branch(depth)).join(", ");

  const leaves = [
    () => `await work({ u: ${next()}, r: Math.floor(Math.random() * 1e6) })`,
    () => `await work({ u: ${next()}, r: 0 })`,
    () => `await fails({ u: ${next()} }).catch((error: any) => error.message)`,
    () => "Math.random()",
    () => "Date.now()",
    () => "crypto.randomUUID()",
  ];
  const branching: ((depth: number) => string)[] = [
    (depth) => `await Promise.all([${branches(2 + Math.floor(random() * 3), depth)}])`,
    (depth) => `await Promise.race([${branches(2, depth)}])`,
    (depth) => `await Promise.any([${branches(2, depth)}]).catch((error: any) => error.name)`,
    (depth) => `(await Promise.allSettled([${branches(2, depth)}])).map(({ status }) => status)`,
    (depth) => `[${expression(depth - 1)}, ${expression(depth - 1)}]`,
    (depth) =>
      `await (async () => { try { return [await fails({ u: ${next()} }), ${expression(depth - 1)}] } catch (error: any) { return error.message + error.code } })()`,
    () => `await new Promise((resolve) => setTimeout(() => resolve(${next()}), ${Math.floor(random() * 4)}))`,
    (depth) => `[...new Map([[${next()}, ${expression(depth - 1)}]])]`,
    () => `await ask({ u: ${next()} }).catch((error: any) => error.message)`,
  ];

  function expression(depth: number): string {
    return depth <= 0 || random() < 0.25 ? pick(leaves)() : pick(branching)(depth);
  }

  const note = (depth: number) => `note(${expression(depth)});`;
  return [
    `const out: any[] = [];\nfunction note(value: unknown) { out.push(value); console.log(out.length, Date.now()); }\n${note(3)}\n${note(2)}`,
    `let count = out.length;\n${note(3)}\ncount++;`,
    `${note(2)}\nreturn JSON.stringify([count, out]);`,
  ];
}
