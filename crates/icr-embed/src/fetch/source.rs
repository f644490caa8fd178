//! What can be fetched: the published files, with their digests.

use std::fmt;

use crate::Error;

/// A published file: its address, its digest, and how it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublishedFile {
    /// The product that the file belongs to.
    pub product: Product,
    /// The platform that the file is built for; `None` for all.
    pub platform: Option<Platform>,
    /// Address of the publisher's directory, without a `/` at the end.
    pub publisher: &'static str,
    /// Path of the file in that directory.
    pub file: &'static str,
    /// Its SHA-256, in lower-case hexadecimal.
    pub sha256: &'static str,
    /// Its length in bytes.
    pub bytes: u64,
    /// Directory for the file, relative to the directory of the download.
    pub directory: &'static str,
    /// How the file is kept.
    pub kept: ExtractionMode,
}

/// The product that a file belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// A sentence-transformers directory.
    Model,
    /// The library that runs models.
    Runtime,
}

/// How a file is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtractionMode {
    /// Unchanged, under its own path.
    Whole,
    /// The file is an archive; only some of its members are kept.
    Members(&'static Members),
}

/// Format of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveFormat {
    /// A tar archive under gzip.
    TarGz,
    /// A zip archive.
    Zip,
}

/// The members that are taken out of an archive.
#[derive(Debug, PartialEq, Eq)]
pub struct Members {
    /// Format of the archive.
    pub form: ArchiveFormat,
    /// For each member: its path below the archive's single top directory, and the name that it is kept under. The
    /// first row is the main file.
    pub rows: &'static [(&'static str, &'static str)],
    /// Name of a file that is written last: the digests of what is kept, in the form that `sha256sum --check` reads.
    pub receipt: &'static str,
}

/// An operating system and a processor for which a runtime is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Linux with the GNU C library, 64-bit ARM.
    LinuxArm64,
    /// Linux with the GNU C library, 64-bit x86.
    LinuxX64,
    /// macOS on Apple's processors.
    MacArm64,
    /// Windows, 64-bit ARM.
    WindowsArm64,
    /// Windows, 64-bit x86.
    WindowsX64,
}

impl Platform {
    /// The platform that this program was built for; `None` if no runtime is published for it.
    pub fn current() -> Option<Self> {
        let (os, processor) = (std::env::consts::OS, std::env::consts::ARCH);
        match (os, processor) {
            ("linux", "aarch64") if cfg!(target_env = "gnu") => Some(Self::LinuxArm64),
            ("linux", "x86_64") if cfg!(target_env = "gnu") => Some(Self::LinuxX64),
            ("macos", "aarch64") => Some(Self::MacArm64),
            ("windows", "aarch64") => Some(Self::WindowsArm64),
            ("windows", "x86_64") => Some(Self::WindowsX64),
            _ => None,
        }
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LinuxArm64 => "Linux on ARM (64 bits)",
            Self::LinuxX64 => "Linux on x86 (64 bits)",
            Self::MacArm64 => "macOS on ARM (64 bits)",
            Self::WindowsArm64 => "Windows on ARM (64 bits)",
            Self::WindowsX64 => "Windows on x86 (64 bits)",
        })
    }
}

/// Where the model lies at its hub: its repository at one commit.
const MODEL_PUBLISHER: &str =
    "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/1110a243fdf4706b3f48f1d95db1a4f5529b4d41";

/// Directory of the model. It has the beginning of that commit in its name, so that another commit gets another
/// directory.
const MODEL_DIRECTORY: &str = "source/all-MiniLM-L6-v2-1110a243";

/// Address of the runtime: the archives of one release.
const RUNTIME_PUBLISHER: &str = "https://github.com/microsoft/onnxruntime/releases/download/v1.29.0";

const RUNTIME_DIRECTORY: &str = "runtime";

const RUNTIME_RECEIPT: &str = "onnxruntime.sha256";

const LICENCE: (&str, &str) = ("LICENSE", "onnxruntime-LICENSE");

const NOTICES: (&str, &str) = ("ThirdPartyNotices.txt", "onnxruntime-ThirdPartyNotices.txt");

const LINUX: &Members = &Members {
    form: ArchiveFormat::TarGz,
    rows: &[("lib/libonnxruntime.so.1.29.0", "libonnxruntime.so"), LICENCE, NOTICES],
    receipt: RUNTIME_RECEIPT,
};

const MAC: &Members = &Members {
    form: ArchiveFormat::TarGz,
    rows: &[("lib/libonnxruntime.1.29.0.dylib", "libonnxruntime.dylib"), LICENCE, NOTICES],
    receipt: RUNTIME_RECEIPT,
};

const WINDOWS: &Members = &Members {
    form: ArchiveFormat::Zip,
    rows: &[("lib/onnxruntime.dll", "onnxruntime.dll"), LICENCE, NOTICES],
    receipt: RUNTIME_RECEIPT,
};

/// Everything that can be fetched.
///
/// The model is `sentence-transformers/all-MiniLM-L6-v2` (Apache-2.0). Digests and lengths are those of the same files in a
/// package of that model for Python, and equal those that other programs pin for this commit.
///
/// The runtime is ONNX Runtime 1.29.0 (MIT). Digests and lengths are those that its release page states, as several programs
/// that pin this release repeat them; paths inside the archives are those that its packaging scripts write. The release has
/// no archive for other platforms: their users bring a library of their own.
pub const SOURCES: &[PublishedFile] = &[
    // tidy: sorted
    model("1_Pooling/config.json", 190, "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23"),
    model("config.json", 612, "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"),
    model("model.safetensors", 90_868_376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
    model("modules.json", 349, "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf"),
    model("sentence_bert_config.json", 53, "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7"),
    model("tokenizer.json", 466_247, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
    model("tokenizer_config.json", 350, "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b"),
    model("vocab.txt", 231_508, "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
    runtime(
        "onnxruntime-linux-aarch64-1.29.0.tgz",
        Platform::LinuxArm64,
        LINUX,
        10_027_600,
        "e1799098ebc054b370f6176a450f158720f297818c613e5dc99b92e2ec82346f",
    ),
    runtime(
        "onnxruntime-linux-x64-1.29.0.tgz",
        Platform::LinuxX64,
        LINUX,
        11_082_880,
        "c3fddc4f139a045b0c4902c57410f0694f1c2fdf9b6939fbe38b1aeae7cd14ba",
    ),
    runtime(
        "onnxruntime-osx-arm64-1.29.0.tgz",
        Platform::MacArm64,
        MAC,
        41_578_864,
        "d0706fc34f315d8c88639d0a8c81f2e09e815f282cabed3493c06a054352cf92",
    ),
    runtime(
        "onnxruntime-win-arm64-1.29.0.zip",
        Platform::WindowsArm64,
        WINDOWS,
        81_679_033,
        "a094a49c3ced0f9fca554647cc7566ae99d93a63a8ce6bf47975561c2de7608e",
    ),
    runtime(
        "onnxruntime-win-x64-1.29.0.zip",
        Platform::WindowsX64,
        WINDOWS,
        79_645_520,
        "c9b4b7086b529ad814f428c1bad028e20a25d7dc0699836775faace4ab5b78b2",
    ),
    // tidy: end
];

impl PublishedFile {
    /// The rows of [`SOURCES`] that make up `product` on `platform`; [`Platform::current`] is this machine's.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if the product is not published for `platform`.
    pub fn of(product: Product, platform: Option<Platform>) -> Result<Vec<Self>, Error> {
        let fits = |source: &&Self| source.platform.is_none() || source.platform == platform;
        let sources = SOURCES.iter().filter(|source| source.product == product).filter(fits);
        let sources: Vec<Self> = sources.copied().collect();
        if !sources.is_empty() {
            return Ok(sources);
        }
        let of_product = SOURCES.iter().filter(|source| source.product == product);
        let platforms: Vec<String> = of_product.filter_map(|source| source.platform).map(|it| it.to_string()).collect();
        let reason = format!(
            "none is published for this machine, only for {}; install ONNX Runtime 1.24 or later and name its library",
            platforms.join(", ")
        );
        Err(Error::Setting { name: "the runtime", reason })
    }

    /// The publisher's address of the file.
    pub fn address(&self) -> String {
        format!("{}/{}", self.publisher, self.file)
    }
}

const fn model(file: &'static str, bytes: u64, sha256: &'static str) -> PublishedFile {
    PublishedFile {
        product: Product::Model,
        platform: None,
        publisher: MODEL_PUBLISHER,
        file,
        sha256,
        bytes,
        directory: MODEL_DIRECTORY,
        kept: ExtractionMode::Whole,
    }
}

const fn runtime(
    file: &'static str,
    platform: Platform,
    members: &'static Members,
    bytes: u64,
    sha256: &'static str,
) -> PublishedFile {
    PublishedFile {
        product: Product::Runtime,
        platform: Some(platform),
        publisher: RUNTIME_PUBLISHER,
        file,
        sha256,
        bytes,
        directory: RUNTIME_DIRECTORY,
        kept: ExtractionMode::Members(members),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_source_can_be_checked() {
        for source in SOURCES {
            let address = source.address();
            assert!(crate::remote::Address::parse(&address).is_ok_and(|address| !address.is_plain()), "{address}");
            assert!(source.sha256.len() == 64 && source.bytes > 0, "{address}");
            assert!(icr_model::is_lower_hexadecimal(source.sha256), "{address}");
            let archived = match source.kept {
                ExtractionMode::Whole => "",
                ExtractionMode::Members(members) if members.form == ArchiveFormat::TarGz => ".tgz",
                ExtractionMode::Members(_) => ".zip",
            };
            assert!(address.ends_with(archived), "{address}");
        }
    }

    #[test]
    fn a_platform_has_one_runtime_and_all_have_the_model() {
        for platform in
            [Platform::LinuxArm64, Platform::LinuxX64, Platform::MacArm64, Platform::WindowsArm64, Platform::WindowsX64]
        {
            let total = |product| PublishedFile::of(product, Some(platform)).map_or(0, |sources| sources.len());
            assert_eq!((total(Product::Runtime), total(Product::Model)), (1, 8), "{platform}");
        }
        assert_eq!(PublishedFile::of(Product::Model, None).map_or(0, |sources| sources.len()), 8);
        assert_eq!(
            PublishedFile::of(Product::Runtime, None).expect_err("no platform").to_string(),
            "the runtime: none is published for this machine, only for Linux on ARM (64 bits), Linux on x86 (64 bits), \
             macOS on ARM (64 bits), Windows on ARM (64 bits), Windows on x86 (64 bits); install ONNX Runtime 1.24 or later \
             and name its library"
        );
    }
}
