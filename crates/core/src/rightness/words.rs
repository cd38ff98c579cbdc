//! Closed classes of words, as tables.

use super::tables::{WordMap, WordSet};

/// Number words below 100 that are not composed.
pub(super) static CARDINALS: WordMap = WordMap::new(
    "\
    zero=0 one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 \
     twelve=12 thirteen=13 fourteen=14 fifteen=15 sixteen=16 seventeen=17 eighteen=18 \
     nineteen=19 twenty=20 thirty=30 forty=40 fifty=50 sixty=60 seventy=70 eighty=80 \
     ninety=90",
);

/// Ordinals whose form is not the cardinal with `th`.
pub(super) static ORDINALS: WordMap = WordMap::new(
    "\
    first=1 second=2 third=3 fifth=5 eighth=8 ninth=9 twelfth=12 twentieth=20 thirtieth=30 \
     fortieth=40 fiftieth=50 sixtieth=60 seventieth=70 eightieth=80 ninetieth=90",
);

/// Words that multiply the number before them.
pub(super) static SCALES: WordMap = WordMap::new(
    "\
    dozen=12 hundred=100 thousand=1e3 million=1e6 mn=1e6 mio=1e6 billion=1e9 bn=1e9 \
     trillion=1e12",
);

/// Months by their first three letters.
pub(super) const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

pub(super) static WEEKDAYS: WordSet = WordSet::new(
    "\
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri \
     sat sun",
);

/// Time zones, with one name for equal ones.
pub(super) static ZONES: WordMap = WordMap::new(
    "\
    utc=utc gmt=utc z=utc zulu=utc cet=cet cest=cest est=est edt=edt et=et cst=cst cdt=cdt \
     mst=mst mdt=mdt pst=pst pdt=pdt pt=pt bst=bst ist=ist jst=jst msk=msk aest=aest",
);

/// Abbreviations whose period never ends a sentence.
pub(super) static TITLES: WordSet =
    WordSet::new("dr mr mrs ms miss prof professor doctor sir dame mister");

/// Abbreviations whose period ends a sentence only before a capital letter.
pub(super) static ABBREVIATIONS: WordSet = WordSet::new(
    "\
    inc corp co ltd etc min sec hr hrs mins secs approx est dept jan feb mar apr jun jul aug \
     sep sept oct nov dec jr sr am pm eg ie ca max incl resp u.s us usa uk",
);

/// Abbreviations that precede a name.
pub(super) static NAME_ABBREVIATIONS: WordSet =
    WordSet::new("st mt ft gen sen gov rev sgt capt col lt vs rep hon");

/// Tokens of names that carry no identity: removed from both sides.
pub(super) static OPTIONAL_IN_NAMES: WordSet = WordSet::new(
    "\
    a an the dr mr mrs ms miss prof professor doctor sir dame mister inc incorporated llc \
     ltd limited plc gmbh ag corporation corp company co dsc phd md obe cbe esq jr junior sr \
     senior justice judge",
);

/// Nouns and titles that may precede a name without changing it.
pub(super) static ROLES: WordSet = WordSet::new(
    "\
    president king queen emperor prince princess pope lord lady baron count chief captain \
     general colonel senator governor mayor minister chancellor saint st director actor \
     actress singer author writer producer artist musician player poet novelist painter \
     composer engineer astronaut architect comedian team band city mount lake river republic \
     state county island kingdom company actually just only use run it he she they answer yes \
     no so in at by to from on for with and but is was both then bishop archbishop chairman \
     ceo cfo cto secretary ambassador commander admiral sergeant detective inspector justice \
     judge rapper coach footballer professor doctor university either probably therefore thus \
     hence clearly indeed this that these contact ask call via of my our your his her their \
     its founder astronomer democrat republican here there as correct final response \
     according",
);

/// Abbreviated words and their full form, one word each.
pub(super) static FULL_WORDS: WordMap = WordMap::new(
    "\
    st=saint mt=mount ft=fort univ=university dept=department intl=international \
     bros=brothers assn=association govt=government natl=national ave=avenue blvd=boulevard \
     rd=road gen=general sen=senator gov=governor rev=reverend sgt=sergeant capt=captain \
     col=colonel vs=versus cmd=command wm=william &=and versions=version calif=california \
     english=england french=france spanish=spain british=britain irish=ireland \
     scottish=scotland welsh=wales dutch=netherlands german=germany danish=denmark \
     swedish=sweden polish=poland turkish=turkey chinese=china japanese=japan italian=italy \
     greek=greece",
);

/// Abbreviations of several words.
pub(super) static EXPANSIONS: WordMap = WordMap::new(
    "\
    usa=united_states us=united_states uk=united_kingdom nyc=new_york_city ny=new_york \
     la=los_angeles sf=san_francisco ussr=soviet_union eu=european_union un=united_nations \
     uae=united_arab_emirates uss=united_states_ship",
);

/// Postal codes of the states of the United States, upper case in text.
pub(super) static STATES: WordMap = WordMap::new(
    "\
    al=alabama ak=alaska az=arizona ar=arkansas ca=california co=colorado ct=connecticut \
     fl=florida ga=georgia ia=iowa il=illinois ks=kansas ky=kentucky md=maryland mi=michigan \
     mn=minnesota mo=missouri nc=north_carolina nj=new_jersey nv=nevada ny=new_york \
     pa=pennsylvania tn=tennessee tx=texas ut=utah va=virginia wa=washington wi=wisconsin \
     de=delaware hi=hawaii id=idaho in=indiana ma=massachusetts me=maine ms=mississippi \
     mt=montana ne=nebraska nh=new_hampshire nm=new_mexico oh=ohio ok=oklahoma or=oregon \
     ri=rhode_island sc=south_carolina vt=vermont wy=wyoming",
);

/// Given names by their short forms.
pub(super) static NICKNAMES: WordMap = WordMap::new(
    "\
    al=albert alex=alexander andy=andrew ben=benjamin bill=william billy=william bob=robert \
     charlie=charles chris=christopher dan=daniel dave=david dick=richard ed=edward \
     eddie=edward fred=frederick greg=gregory jim=james jimmy=james joe=joseph kate=katherine \
     ken=kenneth larry=lawrence liz=elizabeth marty=martin matt=matthew mike=michael \
     nick=nicholas pete=peter rob=robert sam=samuel steve=stephen ted=theodore tom=thomas \
     tony=anthony will=william",
);

/// Words of names that say no more than the kind of thing.
pub(super) static GENERIC: WordSet = WordSet::new(
    "\
    conference club fc afc tv airlines airways magazine drive film movie band company series",
);

/// Words of an answer that leaves open what is right.
pub(super) static OPEN: WordSet = WordSet::new(
    "\
    unclear ambiguous depending contradictory conflicting undecided unsettled",
);

/// Countries and states that may follow a place after a comma.
pub(super) static REGIONS: WordSet = WordSet::new(
    "\
    alabama alaska arizona arkansas australia austria belgium brazil california canada china \
     colorado connecticut dc denmark england florida france georgia germany hawaii idaho \
     illinois india indiana iowa ireland italy japan kansas kentucky louisiana maine maryland \
     massachusetts mexico michigan minnesota mississippi missouri montana nebraska \
     netherlands nevada norway ohio oklahoma ontario oregon pennsylvania poland portugal \
     quebec russia scotland spain sweden switzerland tennessee texas uk united usa us utah \
     vermont virginia wales washington wisconsin wyoming new north south west europe africa \
     asia america",
);

/// Words that negate what follows them.
pub(super) static NEGATORS: WordSet = WordSet::new(
    "\
    not never no nor neither cannot without none nobody hardly avoid dont isnt doesnt wont \
     cant wasnt didnt refrain",
);

/// Words after a negator with which it limits or focuses instead of denying.
pub(super) static NEGATION_LIMITS: WordSet = WordSet::new(
    "\
    only just merely until till before more less fewer later earlier longer over under above \
     below exceed exceeds exceeding beyond than sooner older higher lower surpass doubt \
     larger greater bigger",
);

/// Words that make a clause conditional: a negator in it says nothing of the values in it.
pub(super) static CONDITIONALS: WordSet =
    WordSet::new("if when unless once while whenever where until");

/// Phrases that set apart what follows them.
pub(super) static CONTRASTS: WordSet = WordSet::new(
    "\
    instead_of rather_than previously formerly originally initially up_from down_from \
     increased_from raised_from reduced_from changed_from lowered_from went_from used_to_be \
     unlike opposed_to no_longer other_than except excluding compared_with compared_to \
     the_old the_former the_previous its_former instead_of_the contrary_to in_place_of \
     replaces replaced replacing until_recently formerly_known_as anything_but too_early",
);

/// Words that deny what precedes them, after a form of `be`.
pub(super) static DENIALS: WordSet = WordSet::new(
    "\
    wrong incorrect false outdated deprecated obsolete superseded untrue invalid mistaken \
     forbidden prohibited",
);

/// Words of a sentence that takes back or doubts what the answer offered.
pub(super) static DOUBTS: WordSet = WordSet::new(
    "\
    actually correction wait sorry however another others unclear contradict contradicts \
     disagree disagrees elsewhere alternatively unsure conflicting differ second other",
);

/// Words without content of their own.
pub(super) static STOP_WORDS: WordSet = WordSet::new(
    "\
    a about above after again all also am an and any are as at be because been before being \
     below between both but by can could did do does doing down during each few for from \
     further had has have having he her here hers him his how i if in into is it its itself \
     just may me might more most must my no nor not of off on only or other our out over own \
     same shall she should so some such than that the their them then there these they this \
     those through to too under until up upon us very was we were what when where which while \
     who whom whose why will with within would you your till per exactly approximately around \
     roughly total its it's at least one answer found document documents text source sources \
     says say stated correct final follows given gives still already even therefore \
     actually according passage passages context",
);

/// Words that a value may carry in a gold answer without adding to it.
pub(super) static FLUFF: WordSet = WordSet::new(
    "\
    local time same day next number no max maximum minimum off every morning evening \
     afternoon night clock o following latest year century centuries ad bc level plus minus \
     since hours noon long old high large wide deep tall away ago version release versions \
     newer older than later up longer younger less fewer foaled drop",
);

/// Words that turn a noun after them into another thing.
pub(super) static PRIVATIVES: WordSet = WordSet::new(
    "\
    vice former ex deputy assistant non anti pseudo step half great acting co honorary \
     would-be almost fake semi sub under",
);

/// Pairs of opposites: a gold answer with one is contradicted by an answer with the other.
pub(super) static OPPOSITES: WordMap = WordMap::new(
    "\
    always=never before=after increase=decrease increas=decreas increase=reduce \
     enable=disable enabled=disabled more=less more=fewer above=below highest=lowest \
     tallest=shortest longest=shortest largest=smallest oldest=youngest allowed=forbidden \
     may=must first=last minimum=maximum top=bottom left=right start=stop once=twice \
     with=without cheaper=dearer faster=slower north=south east=west northern=southern \
     eastern=western up=down earlier=later older=newer older=younger higher=lower rises=falls \
     rise=fall doubles=halves open=closed internal=external read=write soft=hard warm=cold \
     hot=cold day=night import=export accepted=rejected accept=reject add=remove \
     public=private male=female winner=loser early=late gain=loss profit=loss send=receive \
     sent=received grant=deny inside=outside manually=automatically",
);

/// Returns true if `word` denies: a negator or a contraction with `not`.
pub(super) fn negates(word: &str) -> bool {
    word.ends_with("n't") || NEGATORS.has(word)
}

/// Returns true if `word` has content of its own.
pub(super) fn has_content(word: &str) -> bool {
    word.starts_with(char::is_alphanumeric) && !STOP_WORDS.has(word)
}

/// Returns the stem of an English word: plural, possessive, `-ed` and `-ing` removed.
pub(super) fn stem(word: &str) -> &str {
    let word = word.strip_suffix("'s").unwrap_or(word);
    for (suffix, left) in
        [("ies", 3), ("ing", 4), ("ed", 4), ("es", 3), ("s", 3), ("e", 3), ("y", 3)]
    {
        if let Some(stem) = word.strip_suffix(suffix)
            && stem.len() >= left
            && !(suffix == "s"
                && (stem.ends_with('s') || stem.ends_with('u') || stem.ends_with('i')))
        {
            return stem;
        }
    }
    word
}
