import { BlockList, isIP } from 'node:net'

const MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i

/** An IPv4 address inside IPv6 is the IPv4 address; anything else stays as it is. */
export function plainAddress(text: string): string {
  return MAPPED.exec(text)?.[1] ?? text
}

/** A set of addresses and networks: `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`. */
export class AddressList {
  readonly #list = new BlockList()
  readonly size: number
  /** The last question and its answer: the same caller asks again and again. */
  #last = { address: '', isIn: false }

  /** Throws a RangeError that names the first entry which is no address. */
  constructor(entries: readonly string[]) {
    this.size = entries.length
    for (const entry of entries) this.#add(entry)
  }

  /** False for text that is no address. IPv4 inside IPv6 counts as IPv4. */
  has(address: string): boolean {
    if (address !== this.#last.address) this.#last = { address, isIn: this.#find(address) }
    return this.#last.isIn
  }

  #find(address: string): boolean {
    const plain = plainAddress(address)
    const family = isIP(plain)
    return family !== 0 && this.#list.check(plain, family === 4 ? 'ipv4' : 'ipv6')
  }

  #add(entry: string): void {
    const [network = '', bits, ...rest] = entry.trim().split('/')
    const plain = plainAddress(network)
    const family = isIP(plain)
    const widest = family === 4 ? 32 : 128
    const skipped = plain === network ? 0 : 96 // a mapped network is written with the prefix of IPv6
    const prefix =
      bits === undefined ? widest : /^\d{1,3}$/.test(bits) ? Number(bits) - skipped : -1
    if (family === 0 || rest.length > 0 || prefix < 0 || prefix > widest) {
      throw new RangeError(`not an address or network: ${entry}`)
    }
    this.#list.addSubnet(plain, prefix, family === 4 ? 'ipv4' : 'ipv6')
  }
}

const LOOPBACK = new AddressList(['127.0.0.0/8', '::1'])
export const isLoopback = (address: string): boolean => LOOPBACK.has(address)

/**
 * Whoever has one address of IPv6 has at least the 2⁶⁴ of its network: these count as one. An
 * address of IPv4 counts for itself.
 */
export function addressGroup(address: string): string {
  const plain = plainAddress(address)
  if (!plain.includes(':')) return plain
  const [before = '', after] = plain.split('::')
  const groups = before === '' ? [] : before.split(':')
  if (after !== undefined && groups.length < 4) {
    const rest = after === '' ? [] : after.split(':')
    while (groups.length + rest.length < 8) groups.push('0')
    groups.push(...rest)
  }
  return `${groups.slice(0, 4).join(':')}::/64`
}

interface HostPort {
  readonly name: string
  /** 80 when not given. */
  readonly port: number
}

const HOST = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?::(\d{1,5}))?$/

/** The last host and what it came to: the same callers ask again and again. */
let lastHost: { readonly text: string; readonly parsed: HostPort | undefined } | undefined

/** `Host` header into name and port; undefined when it is neither. */
export function parseHost(host: string): HostPort | undefined {
  if (lastHost?.text !== host) lastHost = { text: host, parsed: parse(host) }
  return lastHost.parsed
}

function parse(host: string): HostPort | undefined {
  const match = HOST.exec(host)
  if (match === null) return undefined
  const [, name = '', port = '80'] = match
  return { name: name.replace(/^\[|\]$/g, '').toLowerCase(), port: Number(port) }
}

/** Names under which a browser on this computer reaches this computer and no other. */
const isLoopbackName = (name: string): boolean => name === 'localhost' || isLoopback(name)

export const isLoopbackHost = (host: string | undefined): boolean =>
  isLoopbackName(parseHost(host ?? '')?.name ?? '')

/** Port of an origin on loopback, undefined for any other origin (`null` included). */
export function loopbackOriginPort(origin: string): number | undefined {
  const match = /^(https?):\/\/(.+)$/.exec(origin)
  const host = parseHost(match?.[2] ?? '')
  if (host === undefined || !isLoopbackName(host.name)) return undefined
  return match?.[1] === 'https' && host.port === 80 ? 443 : host.port
}
