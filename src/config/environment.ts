import { CONSTANTS } from '../domain/settings/table.ts'
import { isToken } from '../domain/token.ts'
import { TOKEN_ERROR } from './fields.ts'

/** A variable with where it was found: `env NAME` or `.env NAME`. */
export interface Variable {
  readonly value: string
  readonly source: string
}
export type Environment = (name: string) => Variable | undefined

const TRUE = new Set(['1', 'true', 'yes', 'on', 'y', 't'])
/** Boolean text of environment variables: every other text that is not empty means false. */
export const isTrueText = (text: string): boolean => TRUE.has(text.trim().toLowerCase())

const FALSE = new Set(['0', 'false', 'no', 'off', 'n', 'f'])

const LINE = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/
const QUOTED = /^(["'])(.*)\1\s*(?:#.*)?$/

/**
 * A `.env` file: `NAME=value` lines, `#` comments, an optional `export`, quotes stripped. The last
 * line of a name wins. Lines that are none of this are reported by number, never by content.
 */
export function readDotenv(text: string): {
  readonly values: ReadonlyMap<string, string>
  readonly badLines: readonly number[]
} {
  const values = new Map<string, string>()
  const badLines: number[] = []
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const [, name, rest = ''] = LINE.exec(line) ?? []
    if (name === undefined) badLines.push(index + 1)
    else values.set(name, unquote(rest.trim()))
  }
  return { values, badLines }
}

const unquote = (text: string): string =>
  QUOTED.exec(text)?.[2] ?? text.replace(/(?:^|\s)#.*$/, '').trim()

/** The process environment first, `.env` for what it leaves unset. Values are trimmed; empty is unset. */
export const mergeEnvironment =
  (
    env: Readonly<Record<string, string | undefined>>,
    dotenv: ReadonlyMap<string, string>,
  ): Environment =>
  (name) => {
    const own = env[name]?.trim() ?? ''
    if (own !== '') return { value: own, source: `env ${name}` }
    const filed = dotenv.get(name)?.trim() ?? ''
    return filed === '' ? undefined : { value: filed, source: `.env ${name}` }
  }

/** A setting that comes from outside the file. */
export interface Override {
  readonly path: readonly string[]
  readonly value: unknown
  readonly source: string
}

const SWITCHES = CONSTANTS.flatMap(([name, { isFromEnvironment }]) =>
  isFromEnvironment ? [name] : [],
)

/** What the environment says about settings of the file. */
export function environmentOverrides(environment: Environment): Override[] {
  const overrides: Override[] = []
  const home = environment('STEWARD_HOME')
  if (home !== undefined) overrides.push({ ...home, path: ['data_dir'] })
  const gateway = environment('GW_API_TOKEN') ?? environment('SVC_API_TOKEN')
  if (gateway !== undefined) overrides.push({ ...gateway, path: ['gateway', 'api_token'] })
  for (const name of SWITCHES) {
    const found = environment(name)
    if (found === undefined) continue
    overrides.push({ ...found, value: isTrueText(found.value), path: ['strategy', name] })
  }
  return overrides
}

/**
 * Switches of the environment that say neither yes nor no: each counts as off, which may be the opposite of what was
 * meant (`ENABLE_SIMULATION_MODE=ture` is real money). One line each.
 */
export const oddSwitches = (environment: Environment): string[] =>
  [...SWITCHES, 'WEB_PUBLIC_MODE'].flatMap((name) => {
    const found = environment(name)
    const text = found?.value.toLowerCase() ?? ''
    if (found === undefined || isTrueText(text) || FALSE.has(text)) return []
    return [
      `${found.source}: 既不是 true 也不是 false，按 false 处理 (neither true nor false, so it counts as false)`,
    ]
  })

/** Settings of direct mode that come from the environment only. */
export interface DirectSecrets {
  readonly api_token: string
  readonly public_mode: boolean
}

export function directSecrets(environment: Environment): {
  readonly secrets: DirectSecrets
  readonly sources: ReadonlyMap<string, string>
  readonly problems: readonly string[]
} {
  const token = environment('SVC_API_TOKEN')
  const mode = environment('WEB_PUBLIC_MODE')
  const sources = new Map<string, string>()
  if (token !== undefined) sources.set('direct.api_token', token.source)
  if (mode !== undefined) sources.set('direct.public_mode', mode.source)
  const isBad = token !== undefined && !isToken(token.value)
  return {
    secrets: {
      api_token: token?.value ?? '',
      public_mode: mode !== undefined && isTrueText(mode.value),
    },
    sources,
    problems: isBad ? [`${token.source}: ${TOKEN_ERROR}`] : [],
  }
}
