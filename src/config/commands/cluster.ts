import { configured, type Given, type Wrong, wrong } from './words.ts'

/** What is to be done about the servers of a cluster. */
export type ClusterAsked =
  /** `operatorFile`: seed of who may ask the servers about themselves. */
  | { readonly verb: 'check'; readonly operatorFile?: string }
  /** `nkeyFile`: seed of who may make streams; absent: the user of this computer tries. */
  | { readonly verb: 'init'; readonly nkeyFile?: string }
  /** `file` takes the seed. */
  | { readonly verb: 'key'; readonly file: string }

const VERBS = ['check', 'init', 'key'] as const
const VERB = '--verb'
/** Of each verb, besides those that say which configuration. */
const OWN: Readonly<Record<(typeof VERBS)[number], string>> = {
  check: '--operator',
  init: '--nkey',
  key: '--to',
}

export const cluster = configured({
  name: 'cluster',
  usage: 'steward cluster check [--operator F] | init [--nkey F] | key --to F [--config F]',
  text: 'looks at the NATS servers of a cluster, makes their streams, or makes the key of a user; check is 1 when something is to mend',
  chinese: '检查集群的 NATS 服务器（有问题时退出码为 1）、建立日志流，或生成用户密钥',
  options: [
    ['--operator F', 'with check: seed of the operator, who may ask the servers about themselves'],
    ['--nkey F', 'with init: seed of the user that may make streams; else cluster.nkey_file'],
    [
      '--to F',
      'with key: file that does not exist yet, for the seed (required); prints the public key',
    ],
    [`${VERB} V`, 'check, init or key, the same as V alone'],
  ],
  words: ([verb, ...options]) => {
    if (verb === undefined) return wrong('steward cluster needs a verb: check, init or key')
    if (verb.startsWith('-')) return [verb, ...options]
    return [VERB, verb, ...options]
  },
  own: (given): { readonly asked: ClusterAsked } | Wrong => {
    const verb = VERBS.find((each) => each === given.get(VERB))
    if (verb === undefined) {
      return wrong(`unknown command "cluster ${given.get(VERB) ?? ''}"; it is check, init or key`)
    }
    const foreign = VERBS.find((each) => each !== verb && given.has(OWN[each]))
    if (foreign !== undefined) return wrong(`${OWN[foreign]} belongs to steward cluster ${foreign}`)
    return askedOf(verb, given)
  },
})

function askedOf(
  verb: (typeof VERBS)[number],
  given: Given,
): { readonly asked: ClusterAsked } | Wrong {
  const file = given.get(OWN[verb])
  if (verb === 'check') {
    return { asked: { verb, ...(file !== undefined && { operatorFile: file }) } }
  }
  if (verb === 'init') return { asked: { verb, ...(file !== undefined && { nkeyFile: file }) } }
  return file === undefined
    ? wrong('steward cluster key needs --to FILE')
    : { asked: { verb, file } }
}
