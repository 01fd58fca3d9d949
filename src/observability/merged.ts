/** The exposition of one node. */
export interface TextOf {
  readonly node: string
  readonly text: string
}

interface Lines {
  readonly family: string
  /** HELP and TYPE. */
  readonly head: readonly string[]
  readonly samples: string[]
}

const HEAD = /^# (HELP|TYPE) (\S+)/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/

/**
 * The expositions of several nodes as one: each family once, each sample with the node that tells it as `told_by`.
 * Lines that are no sample are left out.
 */
export function merged(texts: readonly TextOf[]): string {
  const families = new Map<string, Lines>()
  for (const lines of texts.flatMap(linesOf)) {
    const known = families.get(lines.family)
    if (known === undefined) families.set(lines.family, lines)
    else known.samples.push(...lines.samples)
  }
  return [...families.values()]
    .filter(({ samples }) => samples.length > 0)
    .map(({ head, samples }) => `${[...head, ...samples].join('\n')}\n`)
    .join('')
}

function linesOf({ node, text }: TextOf): readonly Lines[] {
  const found: Lines[] = []
  let help: readonly string[] = []
  for (const line of text.split('\n')) {
    const [, kind, family = ''] = HEAD.exec(line) ?? []
    if (kind === 'HELP') help = [line]
    else if (kind === 'TYPE') found.push({ family, head: [...help, line], samples: [] })
    else found.at(-1)?.samples.push(...toldBy(node, line))
  }
  return found
}

function toldBy(node: string, line: string): readonly string[] {
  const [, name, labels = '', value] = SAMPLE.exec(line) ?? []
  if (name === undefined) return []
  const others = labels === '' ? '' : `,${labels}`
  return [`${name}{told_by="${node}"${others}} ${value}`]
}
