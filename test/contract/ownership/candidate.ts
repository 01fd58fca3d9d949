import { steadyMs } from '../../../src/runtime/steady.ts'

/** What an order came to: its answer, or the code of its error. */
export interface Outcome {
  readonly ok?: unknown
  readonly failed?: string
}

/** A process, or a computer, that may run the account. */
export interface Candidate {
  readonly name: string
  start(): Promise<Outcome>
  /** Its actor serves. */
  up(): Promise<Outcome>
  /** A commit of it was refused. */
  lost(): Promise<Outcome>
  release(): Promise<Outcome>
  /** Of whoever runs the account, as this one finds it; answered by its name. */
  ask(): Promise<Outcome>
  /** With the line that was opened first, as an actor does that has not been stopped yet. */
  commit(text: string): Promise<Outcome>
  /** All that was committed, in its order. For the owner. */
  committed(): Promise<Outcome>
  /** The next change of role of this kind, past ones that nobody has waited for included. */
  until(kind: RoleKind): Promise<Change>
  /** Gone without a word. */
  kill(): Promise<void>
  /** It stands still, or reaches nobody, and does not know it. */
  lose(): Promise<void>
  /** It goes on, or is reached again. */
  find(): void
}

/** Where an account can be run by one of several. */
export interface OwnershipRig {
  /** Under a name that was there before it is the next life of it, once the one before is over. */
  candidate(name: string, how?: CandidateKind): Promise<Candidate>
  /** Resolves once it owns what another one has left without a word. */
  outlive(heir: Candidate): Promise<Change>
  readonly history: History
}

export interface RigKind {
  /** One of them is lost: nobody waits long for one that is silent. */
  readonly loses?: boolean
}

export interface CandidateKind {
  /** Its books must not be opened. */
  readonly isDamaged?: boolean
}

export type RoleKind = 'owner' | 'follower' | 'seeking'
export interface Change {
  readonly event: RoleKind
  readonly epoch: number
}

interface Noted {
  readonly name: string
  /** Of the clock that all processes of this computer share. */
  readonly atMs: number
  /** 0: it does not run the account. */
  readonly epoch: number
}

/** Who has run the account, by all that each of them was told. */
export class History {
  readonly #noted: Noted[] = []

  note(name: string, epoch: number, atMs = steadyMs()): void {
    this.#noted.push({ name, epoch, atMs })
  }

  /** Two at once, and epochs that two have had or that have not grown: a line each. */
  faults(): readonly string[] {
    const found: string[] = []
    const owners = new Map<string, number>()
    let highest = 0
    for (const { name, epoch } of this.#noted.toSorted((a, b) => a.atMs - b.atMs)) {
      owners.delete(name)
      if (epoch === 0) continue
      for (const [other, its] of owners) found.push(`${name} ${epoch} beside ${other} ${its}`)
      if (epoch <= highest) found.push(`${name} ${epoch} after ${highest}`)
      highest = Math.max(highest, epoch)
      owners.set(name, epoch)
    }
    return found
  }

  /** Who was told last that it runs the account. */
  get owner(): string | undefined {
    return this.#noted.findLast(({ epoch }) => epoch > 0)?.name
  }

  /** Epochs, in the order in which they were had. */
  get epochs(): readonly number[] {
    return this.#noted.filter(({ epoch }) => epoch > 0).map(({ epoch }) => epoch)
  }
}
