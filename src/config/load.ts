import { resolve } from 'node:path'
import { exchangeDay } from '../domain/exchange-time.ts'
import { err, ok, type Result } from '../domain/result.ts'
import { WITHOUT_EFFECT } from '../domain/settings/table.ts'
import { type ConfigFile, openConfigFile, openDotenv } from './config-file.ts'
import { otherData } from './data-place.ts'
import {
  type DirectSecrets,
  directSecrets,
  environmentOverrides,
  mergeEnvironment,
  type Override,
  oddSwitches,
} from './environment.ts'
import { type Problem, parseSection, unknownKey } from './problems.ts'
import { crossProblems, duplicateIds, resolveAccounts, type Sections } from './rules.ts'
import { type Config, configSchema, type ParsedConfig } from './schema.ts'
import { listSettings, type Setting } from './settings-list.ts'
import { goodTokens, readTokenFile } from './token-file.ts'
import { pathText, setAt, type Tree, valueAt } from './tree.ts'
import { accountOverrides, joinTwins } from './twins.ts'
import { warnings } from './warnings.ts'

/** What the command line says about the configuration. */
export interface ConfigOptions {
  readonly configFile?: string
  readonly dataDir?: string
  readonly logLevel?: string
}

export interface LoadInput {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly options?: ConfigOptions
}

export interface LoadedConfig {
  readonly config: Config
  /** Absolute path of the file; undefined for the built-in demo. */
  readonly file: string | undefined
  /** Every setting with its effective value and where it comes from, in the order of the schema. */
  readonly settings: readonly Setting[]
  /** Each one line. The service runs all the same. */
  readonly warnings: readonly string[]
}

type Sources = Map<string, string>

/**
 * The configuration that the service runs on: command line, environment, `.env` beside the file,
 * file, default, the first that has a value wins. A relative `data_dir` starts at the working
 * directory (in a distribution: at the place of its user), a relative replay file at the folder of the
 * configuration file.
 *
 * Errors  every problem at once, one line each, never with a secret in it.
 */
export function loadConfig({ cwd, env, options = {} }: LoadInput): Result<LoadedConfig, string[]> {
  const place = placeOf(env, cwd)
  const opened = openConfigFile(options.configFile === undefined ? place : cwd, options.configFile)
  if (!opened.ok) return err([opened.error])
  const file = opened.value
  const dotenv = openDotenv(file.folder)
  const environment = mergeEnvironment(env, dotenv.values)
  const direct = directSecrets(environment)

  const written = structuredClone(file.tree)
  const twins = joinTwins(written)
  const derived = apply(file.tree, twins.overrides)
  applyToAccounts(file.tree, accountOverrides(written), derived)
  const outside = apply(file.tree, [
    ...environmentOverrides(environment),
    ...fromOptions(options, cwd),
  ])

  const { sections, problems } = check(file.tree)
  const found = asWritten([...twins.problems, ...problems], derived)
  const lines = [
    ...(dotenv.problem === undefined ? [] : [dotenv.problem]),
    ...direct.problems,
    ...found.map((problem) => line(file, outside, problem)),
  ]
  if (lines.length > 0 || !isComplete(sections)) return err(firstOf([...new Set(lines)]))

  const config = finish(sections, { place, folder: file.folder, secrets: direct.secrets })
  const misplaced = outside.has('data_dir') ? undefined : misplacedData(file, sections, config)
  if (misplaced !== undefined) return err([`${file.label}: ${misplaced}`])
  const sources = new Map([...derived, ...outside, ...direct.sources])
  const from = file.path === undefined ? file.label : 'file'
  const settings = listSettings(config, (path) => {
    const isWritten = valueAt(written, path) !== undefined
    return sources.get(pathText(path)) ?? (isWritten ? from : 'default')
  })
  const notes = [
    ...(dotenv.note === undefined ? [] : [dotenv.note]),
    ...dotenv.badLines.map(badLine),
    ...oddSwitches(environment),
    ...deadSettings(settings),
    ...warnings({ ...config, named: goodNamed(config) }, exchangeDay(Date.now())),
  ]
  return ok({ config, file: file.path, settings, warnings: notes })
}

/** Lines of one look: who has made one mistake in each of a hundred positions reads it once. */
const LINES_MAX = 20

function firstOf(lines: string[]): string[] {
  if (lines.length <= LINES_MAX) return lines
  const left = lines.length - LINES_MAX
  return [...lines.slice(0, LINES_MAX), `… 另有 ${left} 处 (and ${left} more)`]
}

/** A mistake shows under the name that the user wrote, not under its twin as well. */
function asWritten(problems: readonly Problem[], derived: Sources): readonly Problem[] {
  const written = problems.filter(({ path }) => !derived.has(pathText(path)))
  return written.length > 0 ? written : problems
}

const badLine = (number: number): string =>
  `.env:${number}: 不是 NAME=value，已忽略 (not NAME=value; ignored)`

const deadSettings = (settings: readonly Setting[]): string[] =>
  settings
    .filter(({ path, source }) => source !== 'default' && isDead(path))
    .map(
      ({ path }) =>
        `${path} 只为兼容旧配置而接受，不起作用 (${path} is accepted for existing configurations and has no effect)`,
    )

const isDead = (path: string): boolean => WITHOUT_EFFECT.has(path.replace('strategy.', ''))

/**
 * Where the configuration and the data of this user live: the working directory, unless the launcher of an
 * unpacked distribution names a place, which is the same one wherever it is called from.
 */
function placeOf(env: LoadInput['env'], cwd: string): string {
  const named = env['STEWARD_PLACE']?.trim() ?? ''
  return named === '' ? cwd : resolve(cwd, named)
}

const fromOptions = ({ dataDir, logLevel }: ConfigOptions, cwd: string): Override[] => {
  const source = 'command line'
  const overrides: Override[] = []
  if (dataDir !== undefined) {
    overrides.push({ path: ['data_dir'], value: resolve(cwd, dataDir), source })
  }
  if (logLevel !== undefined) overrides.push({ path: ['log', 'level'], value: logLevel, source })
  return overrides
}

function apply(tree: Tree, overrides: readonly Override[]): Sources {
  const sources: Sources = new Map()
  for (const { path, value, source } of overrides) {
    setAt(tree, path, value)
    sources.set(pathText(path), source)
  }
  return sources
}

function applyToAccounts(
  tree: Tree,
  overrides: ReturnType<typeof accountOverrides>,
  sources: Sources,
): void {
  for (const [index, { path, value, source }] of overrides) {
    const account = valueAt(tree, ['accounts', index])
    setAt(account as Tree, path, value)
    sources.set(pathText(['accounts', index, ...path]), source)
  }
}

/** Checks each section by itself, so that one mistake hides no other. */
function check(tree: Tree): { readonly sections: Sections; readonly problems: readonly Problem[] } {
  const known = Object.keys(configSchema.shape)
  const problems = Object.keys(tree)
    .filter((key) => !known.includes(key))
    .map((key) => unknownKey([key], key, known))
  const values: Tree = {}
  for (const [name, schema] of Object.entries(configSchema.shape)) {
    const section = parseSection(schema, name, tree[name])
    problems.push(...section.problems)
    if (section.problems.length === 0) values[name] = section.value
  }
  const sections: Sections = values // each value was parsed by the schema of its name
  problems.push(...duplicateIds(tree['accounts']), ...crossProblems(sections))
  return { sections, problems }
}

const isComplete = (sections: Sections): sections is ParsedConfig =>
  Object.keys(configSchema.shape).every((name) => name in sections)

interface Surroundings {
  readonly place: string
  readonly folder: string
  readonly secrets: DirectSecrets
}

function finish(sections: ParsedConfig, { place, folder, secrets }: Surroundings): Config {
  const { market } = sections
  const dataDir = resolve(place, sections.data_dir)
  return {
    ...sections,
    data_dir: dataDir,
    accounts: resolveAccounts(sections),
    market: market.source === 'replay' ? { ...market, file: resolve(folder, market.file) } : market,
    direct: { ...sections.direct, ...secrets },
    gateway: {
      ...sections.gateway,
      host: hostOf(sections, dataDir),
      ...pemFiles(sections.gateway, folder),
    },
    audit: {
      head_file: beside(folder, sections.audit.head_file),
      key_file: beside(folder, sections.audit.key_file),
    },
    ...(sections.cluster && { cluster: clusterFiles(sections.cluster, folder) }),
  }
}

/** Whoever names the folder on the command line or in the environment means it. */
function misplacedData(
  file: ConfigFile,
  { data_dir: written, accounts }: ParsedConfig,
  { data_dir: dataDir }: Config,
): string | undefined {
  if (file.path === undefined) return undefined
  const accountIds = accounts.map(({ account_id: id }) => id)
  return otherData({ written, dataDir, besideFile: resolve(file.folder, written), accountIds })
}

/** Without a token only this computer is answered: nobody else need see the port. */
function hostOf({ gateway, tokens }: ParsedConfig, dataDir: string): string {
  if (gateway.host !== '') return gateway.host
  const named = goodNamed({ tokens, data_dir: dataDir })
  return gateway.api_token === '' && named.length === 0 ? '127.0.0.1' : '0.0.0.0'
}

/** Those of the file and those that `steward token add` has made. */
function goodNamed({ tokens, data_dir: dataDir }: Pick<Config, 'tokens' | 'data_dir'>) {
  const made = readTokenFile(dataDir)
  return goodTokens(tokens, made.ok ? made.value : undefined)
}

const pemFiles = ({ ssl_certfile: cert, ssl_keyfile: key }: Config['gateway'], folder: string) => ({
  ssl_certfile: beside(folder, cert),
  ssl_keyfile: beside(folder, key),
})

const clusterFiles = (cluster: NonNullable<Config['cluster']>, folder: string) => ({
  ...cluster,
  nkey_file: beside(folder, cluster.nkey_file),
  ca_file: beside(folder, cluster.ca_file),
  cert_file: beside(folder, cluster.cert_file),
  key_file: beside(folder, cluster.key_file),
})

/** A relative file starts at the folder of the configuration file. */
const beside = (folder: string, file: string): string => (file === '' ? '' : resolve(folder, file))

/** `steward.config.json: accounts[0].call_timout: unknown key; did you mean call_timeout?` */
function line(file: ConfigFile, outside: Sources, { path, message }: Problem): string {
  const where = pathText(path)
  const source = outside.get(where) ?? file.label
  return where === '' ? `${source}: ${message}` : `${source}: ${where}: ${message}`
}
