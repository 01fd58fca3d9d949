/** Where a setting is: `['accounts', 0, 'call_timeout']`. */
export type Path = readonly PropertyKey[]
export type Tree = Record<string, unknown>

export const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `accounts[0].call_timeout`, as users see a path. */
export const pathText = (path: Path): string =>
  path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return text === '' ? String(step) : `${text}.${String(step)}`
  }, '')

const child = (value: unknown, step: PropertyKey): unknown => {
  if (Array.isArray(value)) return value[Number(step)]
  return isTree(value) && Object.hasOwn(value, step) ? value[String(step)] : undefined
}

/** The value at a path, undefined when there is none. */
export const valueAt = (root: unknown, path: Path): unknown => path.reduce(child, root)

/**
 * Sets the value at a path of objects and makes missing objects. Where something else is in the way
 * nothing is set: the check of the shape reports it.
 */
export function setAt(root: Tree, path: readonly string[], value: unknown): void {
  let node = root
  for (const step of path.slice(0, -1)) {
    node[step] ??= {}
    const next = node[step]
    if (!isTree(next)) return
    node = next
  }
  const last = path.at(-1)
  if (last !== undefined) node[last] = value
}

/** Every setting with its path, in order. Lists of plain values are one setting; what is not there is none. */
export function* leaves(value: unknown, path: Path = []): Generator<readonly [Path, unknown]> {
  const isListOfTrees = Array.isArray(value) && value.length > 0 && value.every(isTree)
  if (isListOfTrees) {
    for (const [index, item] of value.entries()) yield* leaves(item, [...path, index])
  } else if (isTree(value) && Object.keys(value).length > 0) {
    for (const [key, item] of Object.entries(value)) yield* leaves(item, [...path, key])
  } else if (value !== undefined) {
    yield [path, value]
  }
}
