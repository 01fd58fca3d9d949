/** A place in the configuration of a proxy that sends requests to a port of this computer. */
export interface Pass {
  readonly port: number
  /** Of the file, from 1. */
  readonly line: number
  /** In HTTP/1.0. */
  readonly speaksOld: boolean
}

const HERE = String.raw`(?:127(?:\.\d{1,3}){3}|localhost|\[::1\]|::1)`

/** How each kind says it; nginx is read below. */
const PATTERNS = {
  caddy: new RegExp(
    String.raw`^\s*reverse_proxy\b[^\n#]*?\s(?:https?://)?${HERE}?:(\d{1,5})\b`,
    'gim',
  ),
  frp: /^\s*local_?port\s*=\s*(\d{1,5})\b/gim,
  cloudflared: new RegExp(
    String.raw`^\s*(?:-\s*)?(?:service|url):\s*["']?https?://${HERE}:(\d{1,5})\b`,
    'gim',
  ),
} as const

/** What a configuration passes on to this computer. Reads the usual forms, not every one. */
export function passesOf(kind: 'nginx' | keyof typeof PATTERNS, text: string): readonly Pass[] {
  if (kind === 'nginx') return nginxPasses(text)
  return [...text.matchAll(PATTERNS[kind])].map((match) => ({
    port: Number(match[1]),
    line: lineAt(text, match.index + match[0].length),
    speaksOld: false,
  }))
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length

interface Statement {
  readonly words: readonly string[]
  readonly line: number
}

/** A block of nginx with what stands in it; what it does not say its parent says. */
class Block {
  readonly name: readonly string[]
  readonly parent: Block | undefined
  readonly statements: Statement[] = []
  readonly blocks: Block[] = []

  constructor(name: readonly string[], parent?: Block) {
    this.name = name
    this.parent = parent
    parent?.blocks.push(this)
  }
  valueOf(word: string): string | undefined {
    const own = this.statements.findLast(({ words }) => words[0] === word)
    return own === undefined ? this.parent?.valueOf(word) : own.words[1]
  }
  *all(): Generator<Block> {
    yield this
    for (const block of this.blocks) yield* block.all()
  }
}

/** Comments, quoted words, bare words, and the three signs. */
const TOKEN = /#[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[{};]|[^\s{};"'#]+/g

function parseNginx(text: string): Block {
  const root = new Block([])
  let block = root
  let words: string[] = []
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token.startsWith('#')) continue
    if (token === '{') block = new Block(words, block)
    else if (token === '}') block = block.parent ?? root
    else if (token === ';') block.statements.push({ words, line: lineAt(text, index) })
    else {
      words.push(token.replace(/^["']|["']$/g, ''))
      continue
    }
    words = []
  }
  return root
}

const LOCAL = new RegExp(String.raw`^${HERE}:(\d{1,5})$`, 'i')
const portHere = (address: string): number => Number(LOCAL.exec(address)?.[1] ?? 0)

function nginxPasses(text: string): readonly Pass[] {
  const blocks = [...parseNginx(text).all()]
  return blocks.flatMap((block) =>
    block.statements
      .filter(({ words }) => words[0] === 'proxy_pass')
      .flatMap(({ words, line }) => {
        const host = /^https?:\/\/([^/]+)/i.exec(words[1] ?? '')?.[1] ?? ''
        // An include beside it may say it, and newer versions do so by themselves: only what is seen to lack it is told.
        const version = block.valueOf('proxy_http_version')
        const speaksOld = version === undefined || version === '1.0'
        return portsBehind(host, blocks).map((port) => ({ port, line, speaksOld }))
      }),
  )
}

/** Of an address of this computer its port; of the name of an upstream those of its servers. */
function portsBehind(host: string, blocks: readonly Block[]): readonly number[] {
  const upstream = blocks.find(({ name }) => name[0] === 'upstream' && name[1] === host)
  const addresses = upstream?.statements
    .filter(({ words }) => words[0] === 'server')
    .map(({ words }) => words[1]) ?? [host]
  return addresses.map((address) => portHere(address ?? '')).filter((port) => port !== 0)
}
