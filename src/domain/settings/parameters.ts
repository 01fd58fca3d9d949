import { round } from '../money.ts'
import {
  type Offer,
  type Row,
  type SimpleRow,
  type Text,
  UNITS,
  type Unit,
  type WireUnit,
} from './row.ts'
import { type Constants, SETTINGS, type SettingName, type Settings } from './table.ts'

/** A setting as the API knows it. */
export interface Parameter {
  /** Wire name. */
  readonly name: string
  /** Run-time name. */
  readonly setting: string
  readonly row: SimpleRow
  readonly offer: Offer
  /** With the unit of a number: `止损（%）`, `Stop-loss (%)`. */
  readonly label: Text
  /** Of a number, in wire units. */
  readonly range?: { readonly min: number; readonly max: number }
}
/** One that the API changes. */
type Changeable = Parameter & { readonly setting: SettingName }

type Value = number | boolean

/** `wire = (value − zero) × scale` (docs/domain.md 9.2); it is shown with so many digits, against float noise. */
interface Conversion {
  readonly unit: Unit
  readonly zero: number
  readonly scale: number
  readonly digits: number
}
const CONVERSIONS: Readonly<Record<WireUnit, Conversion>> = {
  percent: { unit: 'percent', zero: 0, scale: 100, digits: 6 },
  percentLost: { unit: 'percent', zero: 0, scale: -100, digits: 6 },
  percentFallen: { unit: 'percent', zero: 1, scale: -100, digits: 6 },
  yuanOfMillion: { unit: 'yuan', zero: 0, scale: 1_000_000, digits: 2 },
}
const SETTING_DIGITS = 10

function toWire<V>(value: V, unit: WireUnit | undefined): V | number {
  if (typeof value !== 'number' || unit === undefined) return value
  const { zero, scale, digits } = CONVERSIONS[unit]
  return round((value - zero) * scale, digits)
}

function fromWire(wire: Value, unit: WireUnit | undefined): Value {
  if (typeof wire !== 'number' || unit === undefined) return wire
  const { zero, scale } = CONVERSIONS[unit]
  return round(zero + wire / scale, SETTING_DIGITS)
}

function parameterOf(setting: string, row: SimpleRow, offer: Offer): Parameter {
  const { name, label, unit } = offer
  if (row.kind === 'flag') return { name, setting, row, offer, label }
  const [zh, en] = UNITS[unit === undefined ? row.unit : CONVERSIONS[unit].unit]
  const ends = [toWire(row.min, unit), toWire(row.max, unit)]
  return {
    name,
    setting,
    row,
    offer,
    label: [`${label[0]}（${zh}）`, `${label[1]} (${en})`],
    range: { min: Math.min(...ends), max: Math.max(...ends) },
  }
}

const isOffered = (row: Row): row is SimpleRow & { readonly offer: Offer } => 'offer' in row

/** By wire name, in the order of the table. */
export const PARAMETERS: ReadonlyMap<string, Parameter> = new Map(
  Object.entries<Row>(SETTINGS).flatMap(([setting, row]) =>
    isOffered(row) ? [[row.offer.name, parameterOf(setting, row, row.offer)]] : [],
  ),
)
const isChangeable = (parameter: Parameter): parameter is Changeable =>
  parameter.offer.saved !== 'never'
const CHANGEABLE: readonly Changeable[] = Array.from(PARAMETERS.values()).filter(isChangeable)

/** `{"singleBuyAmount":{"min":1000,"max":100000}, …}` */
export const PARAMETER_RANGES: Readonly<Record<string, { min: number; max: number }>> =
  Object.fromEntries(
    Array.from(PARAMETERS.values()).flatMap(({ name, range }) => (range ? [[name, range]] : [])),
  )

/** Never written to disk: confirmed by hand after every start. */
export const RUNTIME_ONLY: ReadonlySet<SettingName> = new Set(
  CHANGEABLE.filter(({ offer }) => offer.saved === 'run').map(({ setting }) => setting),
)

/** What the file says of the settings that the API changes. */
export function settingsOf(
  constants: Constants & { readonly ENABLE_SIMULATION_MODE: boolean },
): Settings {
  const values: Readonly<Record<string, unknown>> = constants
  const entries = CHANGEABLE.map(({ setting, row: { within } }) => {
    const list = within && (values[within.constant] as readonly unknown[])
    return [setting, list ? list[within.at] : values[setting]]
  })
  return Object.fromEntries(entries) as Settings // names and types are those of the table
}

/** The settings as `GET /api/config` shows them: by wire name, in wire units. */
export const shownSettings = (settings: Settings): Record<string, Value> =>
  Object.fromEntries(
    CHANGEABLE.map(({ name, setting, offer }) => [name, toWire(settings[setting], offer.unit)]),
  )

/** The defaults in wire units; what lasts only for a run has none, and is null. */
export const shownDefaults = (): Record<string, Value | null> =>
  Object.fromEntries(
    Array.from(PARAMETERS.values(), ({ name, row, offer }) => [
      name,
      offer.saved === 'run' ? null : (toWire(row.default, offer.unit) ?? null),
    ]),
  )

export interface SettingChange {
  readonly setting: SettingName
  readonly before: Value
  readonly after: Value
}

/** Validated wire fields as changes of settings; fields that are accepted and ignored fall away, equal values too. */
export function settingChanges(
  settings: Settings,
  wire: Readonly<Record<string, Value>>,
): readonly SettingChange[] {
  const changes: SettingChange[] = []
  for (const [name, value] of Object.entries(wire)) {
    const parameter = PARAMETERS.get(name)
    if (parameter === undefined || !isChangeable(parameter)) continue
    const { setting, offer } = parameter
    const before = settings[setting]
    const after = fromWire(value, offer.unit)
    if (after !== before) changes.push({ setting, before, after })
  }
  return changes
}
