import type { Row } from './figures.ts'

/** What a row should reach: a bound for its ratio, or where nothing bare does the job for our own figure. */
export interface Target {
  readonly of: 'ratio' | 'ours'
  readonly bound: 'least' | 'most'
  readonly value: number
}

const least = (value: number): Target => ({ of: 'ratio', bound: 'least', value })
const most = (value: number): Target => ({ of: 'ratio', bound: 'most', value })
const oursLeast = (value: number): Target => ({ of: 'ours', bound: 'least', value })
const oursMost = (value: number): Target => ({ of: 'ours', bound: 'most', value })

/** What is promised beside busy processes is that it starts at all. */
const START_BUSY_MS_MAX = 900_000

/** By the bench and the name of the row. Rows without a target are there to explain one that has. */
const TARGETS: Readonly<Record<string, Readonly<Record<string, Target>>>> = {
  tick: {
    'tick, 1 account a code': most(3),
    'tick, 100 accounts a code, each': oursMost(20),
    'tick, heap growth': oursMost(0),
  },
  ticks: {
    'ticks, 50000 a second to 8 accounts, lost': oursMost(0.001),
  },
  ask: { 'ask, read, p50': most(1.5), 'ask, read, 8 accounts': least(0.5) },
  read: {
    'read, 1 account': least(0.9),
    'read, 8 accounts': least(0.85),
    'read, 32 accounts': least(0.85),
  },
  'read-304': {
    'read-304, 1 account': least(0.9),
    'read-304, 8 accounts': least(0.9),
    'read-304, 32 accounts': least(0.9),
  },
  order: {
    'order, 1 connection, p50': most(1.25),
    'order, 32 connections': least(0.7),
    'order, 32 connections, processor time': oursMost(300),
  },
  'tick-to-order': { 'tick-to-order, p50': most(2), 'tick-to-order, p99': oursMost(10_000) },
  moving: {
    'order, 32 accounts moving, p99': oursMost(30),
    'step to durable, 32 accounts moving, p50': oursMost(5),
    'step to durable, 32 accounts moving, p99': oursMost(25),
    'processor time, 32 accounts moving': oursMost(0.35),
  },
  stops: {
    'tick-to-order, 8 accounts moving, p50': oursMost(3),
    'tick-to-order, 8 accounts moving, p99': oursMost(10),
  },
  storm: {
    'storm, first, 1000 sales of 100 accounts, sent': oursMost(500),
    'storm, next, 1000 sales of 100 accounts, sent': oursMost(500),
  },
  replay: { 'replay, max, 99 % uncrossed': oursLeast(250_000) },
  backtest: {
    'backtest, recorded ticks': oursLeast(1_000_000),
    'backtest, a year of ticks': oursMost(2_000),
  },
  sse: {
    'sse, 1000 clients, an event': most(1.3),
    'sse, 1000 clients, delivery p99': most(1.2),
    'sse, 1000 clients, delivered': oursLeast(0.9),
    'sse, 1000 clients, memory': oursMost(64),
  },
  restart: {
    'restart, answers again, worst': oursMost(400),
    'restart, a hang is found': oursMost(2_500),
    'restart, reads of the other, p99': most(1.3),
  },
  start: {
    'start, 10 accounts, new data': oursMost(1_000),
    'start, 10 accounts, again': oursMost(1_500),
    'start, 10 accounts, 100000 records': oursMost(1_500),
  },
  starts: {
    'starts, 10 accounts from nothing': oursMost(1_000),
    'starts, 100 accounts from nothing': oursMost(5_000),
    'starts, 300 accounts from nothing': oursMost(14_000),
    'starts, 100 accounts beside 4 busy processes': oursMost(START_BUSY_MS_MAX),
    'starts, 300 accounts beside 4 busy processes': oursMost(START_BUSY_MS_MAX),
  },
  cluster: {
    'cluster, append, p50': oursMost(3_000),
    'cluster, call, p50': oursMost(1_000),
    'cluster, 100 accounts taken over': oursMost(200),
    'cluster, quotes to one node': oursLeast(20_000),
    'cluster, quotes to one node, lost': oursMost(0),
  },
  memory: {
    'memory, an idle account': oursMost(16),
    'memory, 100 positions': oursMost(20),
  },
}

/** Benches that promise something. */
export const benchesWithTargets = (): readonly string[] => Object.keys(TARGETS)

/** The names of the rows with a target that a bench must measure. */
export const targetNames = (bench: string): readonly string[] => Object.keys(TARGETS[bench] ?? {})

export const targetOf = ({ bench }: Pick<Row, 'bench'>): Target | undefined => BY_ROW.get(bench)
const BY_ROW = new Map(Object.values(TARGETS).flatMap((targets) => Object.entries(targets)))

/** Rows with a target that these benches should have measured and have not: under another name they would never be missed. */
export const unmeasured = (benches: readonly string[], rows: readonly Pick<Row, 'bench'>[]) =>
  benches
    .flatMap(targetNames)
    .filter((name) => !rows.some(({ bench }) => bench === name))
    .map((name) => `no row "${name}", which has a target`)
