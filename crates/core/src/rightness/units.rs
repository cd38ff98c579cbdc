//! Units of measurement, currencies and their names.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Quantity that a unit measures; amounts of different dimensions are never equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dimension {
    Count,
    Duration,
    /// Months and years: no fixed number of days.
    Months,
    WorkingDays,
    Length,
    Area,
    Volume,
    Mass,
    Speed,
    Data,
    Bits,
    Percent,
    Points,
    Temperature,
    Frequency,
    Power,
    Energy,
    Voltage,
    Radiation,
    Decade,
    Century,
    Money(&'static str),
    /// Cents of a currency that is not named.
    Cents,
}

impl Dimension {
    /// Returns its name in a reason.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Count => "number",
            Self::Duration | Self::Months | Self::WorkingDays => "duration",
            Self::Length => "length",
            Self::Area => "surface",
            Self::Volume => "volume",
            Self::Mass => "mass",
            Self::Speed => "speed",
            Self::Data | Self::Bits => "data size",
            Self::Percent | Self::Points => "percentage",
            Self::Temperature => "temperature",
            Self::Frequency => "frequency",
            Self::Power => "power",
            Self::Energy => "quantity of energy",
            Self::Voltage => "voltage",
            Self::Radiation => "radiation dose",
            Self::Decade | Self::Century => "date",
            Self::Money(_) | Self::Cents => "sum of money",
        }
    }
}

/// A unit: `base = (number + shift) * factor`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unit {
    pub(super) dimension: Dimension,
    pub(super) factor: f64,
    pub(super) shift: f64,
}

use Dimension::{
    Area, Bits, Century, Count, Data, Duration, Energy, Frequency, Length, Mass, Money, Months,
    Percent, Points, Power, Radiation, Speed, Temperature, Voltage, Volume, WorkingDays,
};

/// Names separated by spaces (`_` is a space in a name), dimension, factor to the base unit.
const UNITS: &[(&str, Dimension, f64)] = &[
    ("ns nanosecond nanoseconds", Duration, 1e-9),
    ("µs us microsecond microseconds", Duration, 1e-6),
    ("ms msec millisecond milliseconds millis", Duration, 1e-3),
    ("s sec secs second seconds", Duration, 1.0),
    ("min mins minute minutes", Duration, 60.0),
    ("h hr hrs hour hours std", Duration, 3600.0),
    ("d day days calendar_day calendar_days", Duration, 86400.0),
    ("week weeks wk wks w", Duration, 604_800.0),
    ("fortnight fortnights", Duration, 1_209_600.0),
    ("month months mo mos calendar_month calendar_months", Months, 1.0),
    ("quarter_year", Months, 3.0),
    ("year years yr yrs y", Months, 12.0),
    ("decade decades", Months, 120.0),
    (
        "working_day working_days business_day business_days workday workdays working-day weekday weekdays",
        WorkingDays,
        1.0,
    ),
    ("nm nanometre nanometres nanometer nanometers", Length, 1e-9),
    ("µm micrometre micrometres micron microns", Length, 1e-6),
    ("mm millimetre millimetres millimeter millimeters", Length, 1e-3),
    ("cm centimetre centimetres centimeter centimeters", Length, 1e-2),
    ("m metre metres meter meters", Length, 1.0),
    ("km kms kilometre kilometres kilometer kilometers", Length, 1e3),
    ("inch inches", Length, 0.0254),
    ("ft foot feet", Length, 0.3048),
    ("yd yard yards", Length, 0.9144),
    ("mi mile miles", Length, 1609.344),
    ("nautical_mile nautical_miles nmi", Length, 1852.0),
    ("light_year light_years light-years", Length, 9.460_730_472_580_8e15),
    ("m2 sqm square_metre square_metres square_meter square_meters sq_m", Area, 1.0),
    ("km2 square_kilometre square_kilometres square_kilometer square_kilometers sq_km", Area, 1e6),
    ("ft2 sqft square_foot square_feet sq_ft", Area, 0.092_903_04),
    ("mi2 square_mile square_miles sq_mi", Area, 2_589_988.110_336),
    ("ha hectare hectares", Area, 1e4),
    ("acre acres", Area, 4_046.856_422_4),
    ("ml millilitre millilitres milliliter milliliters cc", Volume, 1e-3),
    ("cl centilitre centilitres", Volume, 1e-2),
    ("dl decilitre decilitres", Volume, 0.1),
    ("l litre litres liter liters", Volume, 1.0),
    ("m3 cubic_metre cubic_metres cubic_meter cubic_meters", Volume, 1e3),
    ("gallon gallons gal", Volume, 3.785_411_784),
    ("µg mcg microgram micrograms", Mass, 1e-9),
    ("mg milligram milligrams", Mass, 1e-6),
    ("g gram grams gramme grammes", Mass, 1e-3),
    ("kg kgs kilo kilos kilogram kilograms", Mass, 1.0),
    ("t tonne tonnes metric_ton metric_tons metric_tonnes", Mass, 1e3),
    ("ton tons", Mass, 1_000.000_1),
    ("lb lbs pound_weight", Mass, 0.453_592_37),
    ("oz ounce ounces", Mass, 0.028_349_523_125),
    (
        "km/h kmh kph km/hr kilometres_per_hour kilometers_per_hour kilometre_per_hour",
        Speed,
        1.0 / 3.6,
    ),
    ("m/s metres_per_second meters_per_second", Speed, 1.0),
    ("mph miles_per_hour mi/h", Speed, 0.447_04),
    ("knot knots kn", Speed, 1852.0 / 3600.0),
    ("byte bytes", Data, 1.0),
    ("kb kilobyte kilobytes", Data, 1e3),
    ("mb megabyte megabytes megs meg", Data, 1e6),
    ("gb gigabyte gigabytes gigs gig", Data, 1e9),
    ("tb terabyte terabytes", Data, 1e12),
    ("pb petabyte petabytes", Data, 1e15),
    ("kib kibibyte kibibytes ki", Data, 1024.0),
    ("mib mebibyte mebibytes", Data, 1_048_576.0),
    ("gib gibibyte gibibytes gi", Data, 1_073_741_824.0),
    ("tib tebibyte tebibytes ti", Data, 1_099_511_627_776.0),
    ("bit bits", Bits, 1.0),
    ("kbit kbits kilobits", Bits, 1e3),
    ("mbit mbits megabit megabits", Bits, 1e6),
    ("gbit gbits gigabit gigabits", Bits, 1e9),
    ("% percent per_cent pct", Percent, 1.0),
    ("‰ per_mille", Percent, 0.1),
    ("percentage_point percentage_points pp", Points, 1.0),
    ("hz hertz", Frequency, 1.0),
    ("khz kilohertz", Frequency, 1e3),
    ("mhz megahertz", Frequency, 1e6),
    ("ghz gigahertz", Frequency, 1e9),
    ("rps req/s qps", Frequency, 1.0),
    ("watt watts", Power, 1.0),
    ("kw kilowatt kilowatts", Power, 1e3),
    ("mw megawatt megawatts", Power, 1e6),
    ("gw gigawatt gigawatts", Power, 1e9),
    ("wh watt_hours watt-hours", Energy, 1.0),
    ("kwh kilowatt_hours kilowatt-hours kilowatt_hour", Energy, 1e3),
    ("mwh megawatt_hours", Energy, 1e6),
    ("kcal kilocalories", Energy, 1.163),
    ("volt volts", Voltage, 1.0),
    ("kv kilovolts", Voltage, 1e3),
    ("kelvin", Temperature, 1.0),
    ("century centuries", Century, 1.0),
    ("µsv microsievert microsieverts", Radiation, 1e-6),
    ("msv millisievert millisieverts", Radiation, 1e-3),
    ("sv sievert sieverts", Radiation, 1.0),
];

/// Names of currencies, each with its ISO code.
const CURRENCIES: &[(&str, &str)] = &[
    ("eur euro euros €", "EUR"),
    ("usd dollar dollars $ us_dollar us_dollars u.s._dollars us$ bucks", "USD"),
    ("gbp £ pound pounds pound_sterling pounds_sterling quid", "GBP"),
    ("jpy yen ¥", "JPY"),
    ("chf franc francs swiss_franc swiss_francs sfr", "CHF"),
    ("cad canadian_dollar canadian_dollars", "CAD"),
    ("aud australian_dollar australian_dollars", "AUD"),
    ("inr rupee rupees ₹", "INR"),
    ("cny yuan renminbi rmb", "CNY"),
    ("sek swedish_krona swedish_kronor", "SEK"),
    ("nok norwegian_krone norwegian_kroner", "NOK"),
    ("dkk danish_krone danish_kroner", "DKK"),
    ("pln zloty złoty", "PLN"),
    ("krw won", "KRW"),
    ("brl real reais", "BRL"),
];

static NAMES: LazyLock<HashMap<String, Unit>> = LazyLock::new(|| {
    let mut names = HashMap::new();
    for (list, dimension, factor) in UNITS {
        add(&mut names, list, *dimension, *factor, 0.0);
    }
    for (list, code) in CURRENCIES {
        add(&mut names, list, Money(code), 1.0, 0.0);
    }
    add(&mut names, "cent cents eurocent eurocents ct ¢", Dimension::Cents, 0.01, 0.0);
    add(&mut names, "euro_cent euro_cents", Money("EUR"), 0.01, 0.0);
    add(&mut names, "pence penny", Money("GBP"), 0.01, 0.0);
    let celsius =
        "c °c celsius degrees_celsius degree_celsius degrees_c degrees_centigrade centigrade";
    add(&mut names, celsius, Temperature, 1.0, 273.15);
    let fahrenheit = "°f fahrenheit degrees_fahrenheit degree_fahrenheit degrees_f";
    add(&mut names, fahrenheit, Temperature, 5.0 / 9.0, 459.67);
    names
});

fn add(
    names: &mut HashMap<String, Unit>,
    list: &str,
    dimension: Dimension,
    factor: f64,
    shift: f64,
) {
    for name in list.split(' ') {
        let unit = Unit { dimension, factor, shift };
        names.insert(name.replace('_', " "), unit);
    }
}

/// No unit.
pub(super) const BARE: Unit = Unit { dimension: Count, factor: 1.0, shift: 0.0 };

/// Returns the unit that lower-case `name` names.
pub(super) fn unit(name: &str) -> Option<Unit> {
    NAMES.get(name).copied()
}

/// Returns the unit of an upper-case letter directly after a number (`25G`).
pub(super) fn upper_suffix(letter: &str) -> Option<Unit> {
    let factor = match letter {
        "G" => 1e9,
        "T" => 1e12,
        "Mi" => 1_048_576.0,
        _ => return None,
    };
    Some(Unit { dimension: Data, factor, shift: 0.0 })
}
