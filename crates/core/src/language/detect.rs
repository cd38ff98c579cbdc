//! Detects the language of a corpus.

use whatlang::{Lang, Script};

/// Number of texts to sample.
const N_SAMPLES: usize = 40;
/// Bytes of the sample, about 20,000 letters of English.
const SAMPLE_BYTES: usize = 20_000;
/// Letters and digits that show a language written in Latin script; fewer are taken for English.
const LEAST_LETTERS: usize = 60;

/// ISO 639-3 and 639-1 of whatlang's languages whose 639-1 code is not the first two letters of 639-3.
const CODES: &str = "cmn zh spa es por pt ben bn deu de ukr uk kat ka hin hi jpn ja heb he yid yi pol pl jav jv nob nb swe sv \
                     tur tr nld nl ces cs ell el bul bg bel be kan kn slv sl srp sr mkd mk lit lt lav lv est et urd ur uzb uz \
                     pan pa ind id pes fa mal ml mya my sin si khm km tuk tk aka ak zul zu slk sk cat ca tgl tl hye hy";

/// Returns the ISO 639-1 code of the language of `texts`, from the beginnings of some spread over all. Text in Latin script that is
/// short or of no clear language counts as English, as does no text at all.
#[must_use]
pub fn detect<'a>(texts: impl ExactSizeIterator<Item = &'a str>) -> String {
    let step = texts.len().div_ceil(N_SAMPLES).max(1);
    let n_samples = texts.len().div_ceil(step).max(1);
    let mut sample = String::new();
    for text in texts.step_by(step) {
        sample.push_str(&text[..text.floor_char_boundary(SAMPLE_BYTES / n_samples)]);
        sample.push('\n');
    }
    let n_letters = sample.chars().filter(|c| c.is_alphanumeric()).count();
    let found = whatlang::detect(&sample).filter(|found| {
        found.script() != Script::Latin || found.is_reliable() && n_letters >= LEAST_LETTERS
    });
    let code = found.map_or(Lang::Eng, |found| found.lang()).code();
    let mut codes = CODES.split_ascii_whitespace();
    codes.find(|known| *known == code).and_then(|_| codes.next()).unwrap_or(&code[..2]).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_detected_by_its_own_text_and_the_unclear_is_english() {
        let cases = [
            (
                "en",
                "The order was not delivered, because the driver found no one at home and the parcel went back.",
            ),
            (
                "de",
                "Die Bestellung wurde nicht ausgeliefert, weil der Fahrer niemanden angetroffen hat und das Paket zurückging.",
            ),
            ("ru", "Заказ не был доставлен, потому что водитель никого не застал дома."),
            ("ar", "لم يتم تسليم الطلب لأن السائق لم يجد أحدا في المنزل"),
            ("zh", "因为司机没有找到任何人，所以订单没有送达。"),
            ("ja", "運転手が誰にも会えなかったため、注文は配達されませんでした。"),
            ("ko", "운전기사가 아무도 만나지 못해 주문이 배달되지 않았습니다."),
            ("th", "คำสั่งซื้อไม่ได้รับการจัดส่งเนื่องจากคนขับไม่พบใครที่บ้าน"),
            ("en", "kubectl rollout undo"),
            ("en", "Warszawa 1923"),
            ("en", ""),
        ];
        for (code, text) in cases {
            assert_eq!(detect([text].into_iter()), code, "{text}");
        }
    }

    #[test]
    fn every_language_of_the_detector_has_a_two_letter_code() {
        let pairs: Vec<&str> = CODES.split_ascii_whitespace().collect();
        for pair in pairs.chunks(2) {
            assert!(Lang::from_code(pair[0]).is_some() && pair[1].len() == 2, "{pair:?}");
        }
    }
}
