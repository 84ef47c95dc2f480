//! Tests of the exact tokens.

use super::*;

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer::new(text.as_bytes());
    let mut out = Vec::new();
    loop {
        lexer.skip_space();
        match lexer.token() {
            Token::End => return out,
            bad @ Token::Bad(_) => {
                out.push(bad);
                return out;
            }
            token => out.push(token),
        }
    }
}

#[test]
fn names_are_numbers_words_or_quoted() {
    assert_eq!(
        tokens("\u{feff}%0 ").first(),
        Some(&Token::Local(Name::Number(0))),
        "after a byte order mark"
    );
    assert_eq!(
        tokens(r#"%0 %x.addr @"a b" @printf %"q\22""#),
        [
            Token::Local(Name::Number(0)),
            Token::Local(Name::Text(b"x.addr")),
            Token::Global(Name::Text(b"a b")),
            Token::Global(Name::Text(b"printf")),
            Token::Local(Name::Text(br"q\22")),
        ]
    );
}

#[test]
fn labels_end_in_a_colon() {
    assert_eq!(
        tokens(r#"entry: 12: 007: -x: "a b": 1x: $d:"#),
        [
            Token::Label(Name::Text(b"entry")),
            Token::Label(Name::Number(12)),
            Token::Label(Name::Text(b"007")),
            Token::Label(Name::Text(b"-x")),
            Token::Label(Name::Text(b"a b")),
            Token::Label(Name::Text(b"1x")),
            Token::Label(Name::Text(b"$d")),
        ]
    );
}

#[test]
fn numbers() {
    let text = "-5 18446744073709551616 1.5 -2.0e+10 0x3FF0000000000000 0xK3FFF u0xF f0x1 +inf";
    let expected: Vec<_> = text
        .split(' ')
        .enumerate()
        .map(|(i, word)| match i {
            0 | 1 | 6 => Token::Int(word.as_bytes()),
            _ => Token::Float(word.as_bytes()),
        })
        .collect();
    assert_eq!(tokens(text), expected);
}

#[test]
fn strings_bytes_metadata_and_the_rest() {
    assert_eq!(
        tokens("c\"hi\\00\" \"s\" !dbg !3 !{} #1 ... $c ; comment\n ^2 #dbg_value(!\"x\")"),
        [
            Token::Bytes(br"hi\00"),
            Token::Str(b"s"),
            Token::MetaName(b"dbg"),
            Token::MetaNum(3),
            Token::Punct(b'!'),
            Token::Punct(b'{'),
            Token::Punct(b'}'),
            Token::AttrGroup,
            Token::Ellipsis,
            Token::Comdat,
            Token::Summary,
            Token::Punct(b'#'),
            Token::Word(b"dbg_value"),
            Token::Punct(b'('),
            Token::Punct(b'!'),
            Token::Str(b"x"),
            Token::Punct(b')'),
        ]
    );
}

#[test]
fn what_is_no_token_is_bad() {
    for text in ["\"abc", "c\"abc", "@\"abc", "%", "%4294967296", "!9999999999", "&", "12ab"] {
        assert!(matches!(tokens(text).last(), Some(Token::Bad(_))), "{text}");
    }
}

#[test]
fn escapes() {
    assert_eq!(&*unescape(br"a\5Cb\\c\0zd\"), br"a\b\c\0zd\");
    assert_eq!(&*unescape(br"\01x\FF"), b"\x01x\xff");
    assert!(matches!(unescape(b"plain"), Cow::Borrowed(_)));
}
