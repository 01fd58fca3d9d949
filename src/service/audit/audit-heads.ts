import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { maskAccount } from '../../domain/mask.ts'
import { err, ok, type Result } from '../../domain/result.ts'
import type { StoredEntry } from '../../protocol/store.ts'
import type { JournalGap } from '../../storage/archive/gaps.ts'
import {
  type HeadKey,
  isSignedBy,
  type PublishedHead,
  parseHead,
  parsePublicKey,
} from '../../storage/published-head.ts'

export interface HeadSources {
  /** Of the configuration; empty = none. */
  readonly configuredFile: string
  /** Wins over it. */
  readonly headsFile: string | undefined
  /** Only heads that this key has signed count. */
  readonly publicKeyFile: string | undefined
}

/** The published heads that a journal has to agree with. */
export class AccountHeads {
  /** Most numbers have one head; two that differ cannot both be true. */
  readonly #bySeq = new Map<number, PublishedHead[]>()
  readonly #source: string
  #count = 0
  #last: PublishedHead | undefined
  #forged: PublishedHead | undefined

  /** `source` is where they come from, for messages. */
  constructor(source: string) {
    this.#source = source
  }

  get count(): number {
    return this.#count
  }

  /** The one of the highest number. */
  get last(): PublishedHead | undefined {
    return this.#last
  }

  add(head: PublishedHead): void {
    this.#count += 1
    const same = this.#bySeq.get(head.seq) ?? []
    if (!same.some((known) => known.head === head.head)) same.push(head)
    this.#bySeq.set(head.seq, same)
    if (this.#last === undefined || head.seq > this.#last.seq) this.#last = head
  }

  /** It says that the key has signed it, and the key has not. */
  addForged(head: PublishedHead): void {
    this.#forged ??= head
  }

  /** Why an entry is not the one that was published, in words. */
  contradiction({ seq, hash }: Pick<StoredEntry, 'seq' | 'hash'>): string | undefined {
    const told = this.#bySeq.get(seq)
    if (told === undefined) return undefined
    const found = Buffer.from(hash).toString('hex')
    const other = told.find(({ head }) => head !== found)
    return other && `it is not the entry whose head was published at ${other.at}`
  }

  /** How many are of entries before `seq`: of a journal whose beginning was deleted nothing is left to compare them with. */
  olderThan(seq: number): number {
    let older = 0
    for (const [each, heads] of this.#bySeq) if (each < seq) older += heads.length
    return older
  }

  /** How many are of entries that another computer has. */
  within({ after, upTo }: JournalGap): number {
    let count = 0
    for (const [seq, heads] of this.#bySeq) {
      if (seq > after.seq && seq < upTo.seq) count += heads.length
    }
    return count
  }

  /** What is wrong with the heads themselves, for a journal of so many entries. */
  problem(entries: number): string | undefined {
    if (this.#forged !== undefined) {
      return `${this.#source} has a head of entry ${this.#forged.seq} whose signature is wrong`
    }
    if (this.#count > 0 || entries === 0) return undefined
    return `no head of it is in ${this.#source}`
  }
}

/** What a file of published heads says of the accounts. */
export class Heads {
  readonly #accounts: ReadonlyMap<string, AccountHeads>
  readonly #key: HeadKey | undefined
  readonly #file: string
  /** By the name in the line: accounts that are nowhere in the data folder. */
  readonly #strangers = new Map<string, PublishedHead>()
  #ambiguous = 0
  #notSigned = 0
  #used = 0

  constructor(file: string, accountIds: readonly string[], key: HeadKey | undefined) {
    const source = key === undefined ? file : `${file}, signed by ${key.fingerprint},`
    this.#accounts = new Map(accountIds.map((id) => [id, new AccountHeads(source)]))
    this.#key = key
    this.#file = file
  }

  of(accountId: string): AccountHeads | undefined {
    return this.#accounts.get(accountId)
  }

  get strangers(): readonly PublishedHead[] {
    return [...this.#strangers.values()]
  }

  /** Fingerprint of the key whose signatures were checked. */
  get signer(): string | undefined {
    return this.#key?.fingerprint
  }

  get isEmpty(): boolean {
    return this.#used === 0
  }

  add(head: PublishedHead): void {
    const named = this.#named(head.account)
    const signed = named.filter((accountId) => this.#isSigned(head, accountId))
    const [accountId, another] = signed
    if (accountId === undefined) return this.#refuse(head, named)
    this.#used += 1
    if (another !== undefined) {
      this.#ambiguous += 1
      return
    }
    const known = this.#accounts.get(accountId)
    if (known !== undefined) return known.add(head)
    const before = this.#strangers.get(accountId)
    if (before === undefined || head.seq > before.seq) this.#strangers.set(accountId, head)
  }

  /** What the verdicts do not say, in lines. */
  get caveats(): readonly string[] {
    const lines = [
      `已与 ${this.#file} 中的链头核对；最后一个链头之后的条目只校验了自身连贯 (compared with the heads in ${this.#file}; entries after the last of them are only consistent in themselves)`,
    ]
    if (this.#key === undefined) {
      lines.push(
        '未校验签名：只有当该文件不受能改写数据目录者控制时，结论才成立；见 --public-key (signatures not checked: this holds only if whoever can write the data folder could not write that file; see --public-key)',
      )
    }
    if (this.#notSigned > 0) {
      lines.push(
        `${this.#notSigned} 个链头没有该密钥的签名，不计 (${this.#notSigned} heads are not signed with this key and do not count)`,
      )
    }
    if (this.#ambiguous > 0) {
      lines.push(
        `${this.#ambiguous} 个链头的账号掩码对应多个账户，不计 (${this.#ambiguous} heads have a masked account that fits several and do not count)`,
      )
    }
    return lines
  }

  /** Accounts that a line can be about: the log shows their masked names. */
  #named(account: string): readonly string[] {
    if (this.#accounts.has(account)) return [account]
    const masked = [...this.#accounts.keys()].filter((id) => maskAccount(id) === account)
    return masked.length > 0 ? masked : [account]
  }

  #isSigned(head: PublishedHead, accountId: string): boolean {
    return this.#key === undefined || isSignedBy(head, accountId, this.#key)
  }

  #refuse(head: PublishedHead, named: readonly string[]): void {
    const claims = head.key !== undefined && head.key === this.#key?.fingerprint
    if (!claims) this.#notSigned += 1
    else for (const accountId of named) this.#accounts.get(accountId)?.addForged(head)
  }
}

/**
 * Reads the heads that the command names, or those of the configuration; undefined when there are none.
 * They are read before the journals: those only become longer.
 */
export async function openHeads(
  { configuredFile, headsFile, publicKeyFile }: HeadSources,
  accountIds: readonly string[],
): Promise<Result<Heads | undefined, string>> {
  const file = headsFile ?? configuredFile
  if (file === '') {
    if (publicKeyFile === undefined) return ok(undefined)
    return err(
      '--public-key 需要已公布的链头：请用 --heads 指明，或设置 audit.head_file (needs published heads: name them with --heads, or set audit.head_file)',
    )
  }
  const key = publicKeyFile === undefined ? ok(undefined) : readPublicKey(publicKeyFile)
  if (!key.ok) return key
  const heads = new Heads(file, accountIds, key.value)
  const read = await readInto(heads, file)
  if (!read.ok || !heads.isEmpty) return read
  const [zh, en] =
    key.value === undefined ? ['', ''] : ['由 --public-key 签名的', ' that --public-key has signed']
  return err(`${file}: 其中没有${zh}已公布的链头 (holds no published head${en})`)
}

async function readInto(heads: Heads, file: string): Promise<Result<Heads, string>> {
  try {
    const handle = await open(file)
    for await (const line of handle.readLines()) {
      const head = parseHead(line)
      if (head !== undefined) heads.add(head)
    }
    return ok(heads)
  } catch (error) {
    return err(`${file}: 链头无法读取 (the heads cannot be read: ${codeOf(error)})`)
  }
}

function readPublicKey(file: string): Result<HeadKey, string> {
  try {
    const key = parsePublicKey(readFileSync(file, 'utf8'))
    return key.ok ? key : err(`--public-key ${file}: ${key.error}`)
  } catch (error) {
    return err(`--public-key ${file}: 无法读取 (cannot be read: ${codeOf(error)})`)
  }
}

const codeOf = (error: unknown): unknown => Reflect.get(Object(error), 'code') ?? error
